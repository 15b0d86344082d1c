// SPDX-License-Identifier: BSD-2-Clause
/* Tests message queues in all orders of memory accesses, and the refusals of each function. */
#include <sync/queue.h>

#include "sync_run.h"

/* State shared by the threads of a run. */
static struct {
	struct queue queue;
	char memory[QUEUE_BYTES(2, sizeof(uint64_t))];
	unsigned int there, done;
	uint64_t seen;
} shared;

static QUIET void begin(void)
{
	memset(&shared, 0, sizeof(shared));
	sync_begin();
}

/* Thread 1 sends two messages and thread 2 sends one, to a queue with two slots. Thread 3 receives. */
static QUIET void queue_begin(void)
{
	begin();
	MODEL_CHECK(
		!queue_init(&shared.queue, shared.memory, sizeof(shared.memory), sizeof(uint64_t)));
}

static QUIET void queue_thread(unsigned int id)
{
	uint64_t message;

	for (unsigned int i = 0; id < 3 && i < 3 - id; i++) {
		message = id * 2 + i;
		MODEL_CHECK(queue_send(&shared.queue, &message, id, LIMPET_NEVER) == LIMPET_OK);
	}
	for (unsigned int i = 0; id == 3 && i < 3; i++) {
		long priority = queue_receive(&shared.queue, &message, LIMPET_NEVER);

		MODEL_CHECK(priority == (long)message / 2);
		MODEL_CHECK(!(shared.seen & 1ul << message));
		MODEL_CHECK(!(message & 1) || shared.seen & 1ul << (message - 1)); /* in order */
		shared.seen |= 1ul << message;
	}
}

static QUIET void queue_end(void)
{
	MODEL_CHECK(shared.seen == 0x1c && shared.queue.space.value == 2 &&
		    !queue_length(&shared.queue));
	MODEL_CHECK(!shared.queue.mutex.owner && !shared.queue.mutex.waiters &&
		    !shared.queue.levels);
}

/* Thread 1 sends more messages than there are slots. Thread 2 receives one. Both may time out. */
static QUIET void queue_timed_thread(unsigned int id)
{
	uint64_t message;

	for (message = 1; id == 1 && message <= 3; message++)
		if (queue_send(&shared.queue, &message, 0, SOON) == LIMPET_OK)
			shared.there++;
	if (id == 2 && queue_receive(&shared.queue, &message, SOON) == 0)
		shared.done++;
}

static QUIET void queue_timed_end(void)
{
	MODEL_CHECK(shared.done + queue_length(&shared.queue) == shared.there && shared.there >= 2);
	MODEL_CHECK(shared.queue.space.value + queue_length(&shared.queue) == 2);
}

static void test_queue(void **state)
{
	static const struct model plain = { 3, 1, NULL, queue_begin, queue_thread, NULL, queue_end };
	static const struct model timed = {
		2, 2, NULL, queue_begin, queue_timed_thread, NULL, queue_timed_end
	};

	(void)state;
	sync_run(&plain);
	sync_run(&timed);
}

static QUIET void errors_queue(unsigned int id)
{
	_Alignas(8) char memory[QUEUE_BYTES(3, 4)];
	uint32_t message = 7;
	struct queue q;

	(void)id;
	MODEL_CHECK(queue_init(&q, memory, sizeof(memory), 0) == LIMPET_ERANGE);
	MODEL_CHECK(queue_init(&q, memory, 1ul << 20, QUEUE_SIZE_MAX + 1ul) == LIMPET_ERANGE);
	MODEL_CHECK(queue_init(&q, memory, QUEUE_SLOT(4) - 1, 4) == LIMPET_ERANGE);
	MODEL_CHECK(queue_init(&q, memory, QUEUE_BYTES(65536, 4), 4) == LIMPET_ERANGE);
	MODEL_CHECK(queue_init(&q, memory + 1, sizeof(memory) - 1, 4) == LIMPET_EALIGN);
	MODEL_CHECK(queue_init(&q, memory, sizeof(memory), 4) == LIMPET_OK);
	MODEL_CHECK(queue_receive(&q, &message, SOON) == LIMPET_ETIME && message == 7);
	MODEL_CHECK(queue_send(&q, &message, QUEUE_PRIORITIES, 0) == LIMPET_ERANGE);
	for (message = 0; message < 3; message++)
		MODEL_CHECK(queue_send(&q, &message, message == 1 ? 31 : 0, 0) == LIMPET_OK);
	MODEL_CHECK(queue_send(&q, &message, 0, SOON) == LIMPET_ETIME && queue_length(&q) == 3);
	MODEL_CHECK(queue_receive(&q, &message, 0) == 31 && message == 1);
	MODEL_CHECK(queue_receive(&q, &message, 0) == 0 && message == 0);
	MODEL_CHECK(queue_send(&q, &message, 0, 0) == LIMPET_OK);
	MODEL_CHECK(queue_receive(&q, &message, 0) == 0 && message == 2);
	MODEL_CHECK(queue_receive(&q, &message, 0) == 0 && message == 0 && !q.levels);
}

static void test_errors(void **state)
{
	(void)state;
	sync_run_alone(errors_queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queue),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
