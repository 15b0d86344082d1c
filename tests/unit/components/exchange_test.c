// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests component exchange with two modules that call it in one thread: random arguments, limits of a module,
 * restarts, waiters and notifications. Each allocation ends before a page that cannot be accessed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <export/exchange.h>
#include <runtime/component.h>

#include "../../../components/system/exchange/exchange.h"
#include "../sched_objects.h"

#define PAGE 4096ul
#define LEFT 3ul /* badges */
#define RIGHT 4ul
#define NAME 0x7261656cul

extern struct limpet_info own asm("__limpet_info");
struct limpet_info own;
static unsigned int thread = 5;
static word sizes
	[1024]; /* bytes of each allocation with the page after it, by the lowest bits of its page */
static word allocated; /* number of pages */
static unsigned int resumed[8], resumes;

unsigned int limpet_thread_id(void)
{
	return thread;
}

static word *size_at(word address)
{
	return &sizes[address / PAGE % 1024];
}

long mem_allocate(word pages, word *address)
{
	const word bytes = (pages + 1) * PAGE;
	char *at;

	if (pages > 256)
		return LIMPET_ERANGE;
	do /* an address with a free record; the others stay unused */
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	while (*size_at((word)at));
	mprotect(at + pages * PAGE, PAGE, PROT_NONE);
	*size_at((word)at) = bytes;
	allocated += pages;
	*address = (word)at;
	return LIMPET_OK;
}

long mem_free(word address)
{
	assert_true(*size_at(address));
	allocated -= *size_at(address) / PAGE - 1;
	munmap((void *)address, *size_at(address));
	*size_at(address) = 0;
	return LIMPET_OK;
}

long mem_grant(word address, word component, word rights)
{
	(void)address;
	assert_int_equal(rights, LIMPET_READ | LIMPET_WRITE);
	return component == LEFT - 1 || component == RIGHT - 1 ? LIMPET_OK : LIMPET_ENOENT;
}

/* A resumed thread that waits for the lock lends its priority to the caller, so the caller must hold the lock. */
long sched_resume(word id)
{
	assert_int_not_equal(exchange_lock.mutex.owner, 0);
	resumed[resumes++ % 8] = (unsigned int)id;
	return LIMPET_OK;
}

/* The test has one thread, so the lock is not contended and the next three functions are not called. */
uint64_t limpet_time(void)
{
	fail();
	return 0;
}

long sched_priority(word id, word priority)
{
	(void)id;
	(void)priority;
	fail();
	return LIMPET_ESTATE;
}

long sched_suspend_for(word owner, word deadline)
{
	(void)owner;
	(void)deadline;
	fail();
	return LIMPET_ESTATE;
}

static struct exchange_window *share(word badge)
{
	struct exchange_share_results out;

	assert_int_equal(exchange_serve_share(badge, &out), LIMPET_OK);
	return (struct exchange_window *)out.address;
}

/* Restarts both modules, and unlinks the queue of the previous test. */
static int setup(void **state)
{
	(void)state;
	share(LEFT);
	share(RIGHT);
	exchange_serve_queue_unlink(LEFT, NAME, 0, 0, 0);
	thread = 5;
	resumes = 0;
	return 0;
}

static long queue_make(word badge, word name, word max, word size)
{
	return exchange_serve_queue_open(badge, name, 0, 0, 0, EXCHANGE_CREATE, max | size << 32);
}

/* A caller without memory, and numbers out of range, get errors. */
static void test_arguments(void **state)
{
	struct exchange_queue_receive_results received;
	struct exchange_queue_state_results form;
	const word numbers[] = { 0, 63, 64, 1ul << 32, ~0ul };
	const word badges[] = { 0, LEFT, 99 };

	(void)state;
	assert_int_equal(queue_make(99, NAME, 1, 1), LIMPET_ESTATE);
	assert_int_equal(exchange_serve_fifo_create(99, 1, 1, 0), LIMPET_ESTATE);
	assert_int_equal(exchange_serve_fifo_watch(99, ~0ul, 1), LIMPET_ESTATE);
	for (unsigned int i = 0; i < 5; i++)
		for (unsigned int j = 0; j < 3; j++) {
			assert_true(exchange_serve_queue_send(badges[j], numbers[i], 1, 1, 1) < 0);
			assert_true(exchange_serve_queue_receive(badges[j], numbers[i], 1,
								 &received) < 0);
			assert_true(exchange_serve_queue_state(badges[j], numbers[i], &form) < 0);
			assert_true(exchange_serve_queue_notify(badges[j], numbers[i], 1) < 0);
			assert_true(exchange_serve_queue_close(badges[j], numbers[i]) < 0);
			assert_true(exchange_serve_fifo_put(badges[j], numbers[i], 1) < 0);
			assert_true(exchange_serve_fifo_get(badges[j], numbers[i], ~0ul) < 0);
			assert_true(exchange_serve_fifo_used(badges[j], numbers[i], 1) < 0);
			assert_true(exchange_serve_fifo_destroy(badges[j], numbers[i]) < 0);
			assert_true(exchange_serve_fifo_create(badges[j], numbers[i], 0, 0) < 0);
			assert_true(exchange_serve_fifo_create(badges[j], numbers[i], 65537, 0) <
				    0);
		}
	assert_int_equal(queue_make(LEFT, 0, 1, 1), LIMPET_ERANGE);
	assert_int_equal(queue_make(LEFT, NAME, 0, 1), LIMPET_ERANGE);
	assert_int_equal(queue_make(LEFT, NAME, 1, 0), LIMPET_ERANGE);
	assert_int_equal(queue_make(LEFT, NAME, 1, 65537), LIMPET_EQUOTA);
	assert_int_equal(queue_make(LEFT, NAME, UINT32_MAX, 65536), LIMPET_EQUOTA);
	assert_int_equal(exchange_serve_queue_unlink(LEFT, NAME, 0, 0, 0), LIMPET_ENOENT);
}

/* Messages arrive in the order of their priorities. Each has its own bytes, and no byte is written beyond the queue. */
static void test_messages(void **state)
{
	struct exchange_window *left = share(LEFT), *right = share(RIGHT);
	struct exchange_queue_receive_results out;
	const long queue = queue_make(LEFT, NAME, 4, 65536);
	const int order[] = { 3, 4, 1, 2 };

	(void)state;
	assert_true(queue >= 0);
	assert_int_equal(exchange_serve_queue_send(RIGHT, (word)queue, 1, 0, 0), LIMPET_ENOENT);
	assert_int_equal(queue_make(RIGHT, NAME, 1, 1), queue);
	assert_int_equal(exchange_serve_queue_send(LEFT, (word)queue, 65537, 0, 0), LIMPET_ERANGE);
	assert_int_equal(exchange_serve_queue_send(LEFT, (word)queue, 1, 32, 0), LIMPET_ERANGE);
	for (word i = 0; i < 4; i++) {
		memset(left->data, (int)i + 1, 65536);
		assert_int_equal(exchange_serve_queue_send(LEFT, (word)queue, 65536, i / 2 * 31, 0),
				 LIMPET_OK);
	}
	assert_int_equal(exchange_serve_queue_send(LEFT, (word)queue, 0, 0, 0), LIMPET_EFULL);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(exchange_serve_queue_receive(RIGHT, (word)queue, 0, &out), 65536);
		assert_int_equal(right->data[65535], order[i]);
		assert_int_equal(out.priority, i < 2 ? 31 : 0);
	}
	assert_int_equal(exchange_serve_queue_receive(RIGHT, (word)queue, 0, &out), LIMPET_EEMPTY);
	assert_int_equal(exchange_serve_queue_unlink(RIGHT, NAME, 0, 0, 0), LIMPET_OK);
	assert_int_equal(exchange_serve_queue_close(RIGHT, (word)queue), LIMPET_OK);
	assert_int_equal(exchange_serve_queue_send(LEFT, (word)queue, 1, 0, 0), LIMPET_OK);
	assert_int_equal(exchange_serve_queue_close(LEFT, (word)queue), LIMPET_OK);
	assert_int_equal(exchange_serve_queue_close(LEFT, (word)queue), LIMPET_ENOENT);
}

static void wait_in(word badge, unsigned int id, word queue, word level)
{
	struct exchange_queue_receive_results out;

	thread = id;
	assert_int_equal(exchange_serve_queue_receive(badge, queue, level, &out), LIMPET_EEMPTY);
	thread = 5;
}

/*
 * Each waiter of another module is resumed once, in the order of priority and then of waiting time. A waiter that
 * has left is not resumed. Waiters of the sender's own module are not resumed, because its library does that.
 */
static void test_waiters(void **state)
{
	struct exchange_queue_receive_results out;
	const word queue = (word)queue_make(LEFT, NAME, 4, 16);
	const unsigned int order[] = { 12, 14, 10 };

	(void)state;
	queue_make(RIGHT, NAME, 1, 1);
	wait_in(RIGHT, 14, queue, 3);
	wait_in(LEFT, 11, queue, 7);
	wait_in(RIGHT, 13, queue, 3);
	wait_in(RIGHT, 10, queue, 3);
	wait_in(RIGHT, 12, queue, 9);
	thread = 13;
	exchange_serve_queue_leave(RIGHT);
	thread = 5;
	resumes = 0;
	assert_int_equal(exchange_serve_queue_send(LEFT, queue, 4, 0, 0), LIMPET_OK);
	assert_int_equal(resumes, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(resumed[i], order[i]);
	exchange_serve_queue_receive(RIGHT, queue, 0, &out);
	assert_int_equal(resumes, 4);
	assert_int_equal(resumed[3], 11);
	exchange_serve_queue_send(RIGHT, queue, 4, 0, 0);
	assert_int_equal(resumes, 4);
}

/* A thread that waits for another queue now does not wait for the earlier one. A restart of its module ends its wait. */
static void test_waits_end(void **state)
{
	struct exchange_window *right = share(RIGHT);
	const word queue = (word)queue_make(LEFT, NAME, 4, 16);
	const word other = (word)queue_make(LEFT, NAME + 1, 4, 16);

	(void)state;
	queue_make(RIGHT, NAME, 1, 1);
	queue_make(RIGHT, NAME + 1, 1, 1);
	wait_in(LEFT, 10, queue, 3);
	wait_in(LEFT, 10, other, 3);
	exchange_serve_queue_send(RIGHT, queue, 4, 0, 0);
	assert_int_equal(resumes, 0);
	assert_int_equal(exchange_serve_queue_notify(RIGHT, other, 1), LIMPET_OK);
	share(LEFT);
	exchange_serve_queue_send(RIGHT, other, 4, 0, 0);
	assert_int_equal(right->notified, 1ul << other);
	assert_int_equal(resumes, 1);
	assert_int_equal(resumed[0], 5);
	exchange_serve_queue_unlink(RIGHT, NAME + 1, 0, 0, 0);
}

/* A registration causes one notification, and no notification while a thread waits. */
static void test_notices(void **state)
{
	struct exchange_window *left = share(LEFT);
	struct exchange_queue_receive_results out;
	const word queue = (word)queue_make(LEFT, NAME, 4, 16);

	(void)state;
	queue_make(RIGHT, NAME, 1, 1);
	thread = 20;
	assert_int_equal(exchange_serve_queue_notify(LEFT, queue, 1), LIMPET_OK);
	assert_int_equal(exchange_serve_queue_notify(RIGHT, queue, 1), LIMPET_EBUSY);
	assert_int_equal(exchange_serve_queue_notify(RIGHT, queue, 0), LIMPET_OK);
	thread = 21;
	exchange_serve_queue_receive(RIGHT, queue, 0, &out);
	thread = 5;
	exchange_serve_queue_send(RIGHT, queue, 1, 0, 0);
	assert_int_equal(left->notified, 0);
	thread = 21;
	exchange_serve_queue_receive(RIGHT, queue, 0, &out);
	thread = 5;
	resumes = 0;
	exchange_serve_queue_send(RIGHT, queue, 1, 0, 0);
	assert_int_equal(left->notified, 1ul << queue);
	assert_int_equal(resumes, 1);
	assert_int_equal(resumed[0], 20);
	exchange_serve_queue_receive(RIGHT, queue, 0, &out);
	resumes = 0;
	exchange_serve_queue_send(RIGHT, queue, 1, 0, 0);
	assert_int_equal(resumes, 0);
}

/*
 * A ring keeps the order when it wraps. Only the creator destroys it. Watchers are notified of other modules'
 * transfers.
 */
static void test_fifo(void **state)
{
	struct exchange_window *left = share(LEFT), *right = share(RIGHT);
	char next_in = 0, next_out = 0;

	(void)state;
	assert_int_equal(exchange_serve_fifo_create(LEFT, 7, 10, 0), LIMPET_OK);
	assert_int_equal(exchange_serve_fifo_create(RIGHT, 7, 10, 0), LIMPET_EBUSY);
	assert_int_equal(exchange_serve_fifo_create(RIGHT, 7, 10, 1), LIMPET_ENOENT);
	assert_int_equal(exchange_serve_fifo_destroy(RIGHT, 7), LIMPET_ERIGHTS);
	assert_int_equal(exchange_serve_fifo_put(RIGHT, 7, 11), LIMPET_EFULL);
	assert_int_equal(exchange_serve_fifo_put(RIGHT, 7, ~0ul), LIMPET_EFULL);
	for (int round = 0; round < 30; round++) {
		const long n = round % 7 + 1;

		for (long i = 0; i < n; i++)
			right->data[i] = next_in++;
		assert_int_equal(exchange_serve_fifo_put(RIGHT, 7, (word)n), LIMPET_OK);
		assert_int_equal(exchange_serve_fifo_used(LEFT, 7, 0), n);
		assert_int_equal(exchange_serve_fifo_get(LEFT, 7, 100), n);
		for (long i = 0; i < n; i++)
			assert_int_equal(left->data[i], next_out++);
	}
	assert_int_equal(exchange_serve_fifo_watch(LEFT, 1ul << 7, 30), LIMPET_OK);
	resumes = 0;
	exchange_serve_fifo_put(LEFT, 7, 1);
	assert_int_equal(resumes, 0);
	exchange_serve_fifo_get(RIGHT, 7, 1);
	assert_int_equal(resumes, 1);
	assert_int_equal(resumed[0], 30);
	assert_int_equal(left->moved, 1ul << 7);
	assert_int_equal(exchange_serve_fifo_create(LEFT, 7, 65536, 1), LIMPET_OK);
	assert_int_equal(exchange_serve_fifo_put(LEFT, 7, 65536), LIMPET_OK);
	assert_int_equal(exchange_serve_fifo_get(RIGHT, 7, 65536), 65536);
	assert_int_equal(exchange_serve_fifo_destroy(LEFT, 7), LIMPET_OK);
}

/* A module gets at most 256 pages and 32 queues, and the other module still gets its share. All are free at the end. */
static void test_limits(void **state)
{
	const word before = allocated;
	long queues[QUEUES_EACH];

	(void)state;
	for (unsigned int round = 0; round < 3; round++) {
		for (word i = 0; i < QUEUES_EACH; i++) {
			queues[i] = queue_make(LEFT, NAME + i, 1, 16);
			assert_true(queues[i] >= 0);
		}
		assert_int_equal(queue_make(LEFT, NAME + 99, 1, 16), LIMPET_EFULL);
		for (word i = 0; i < 13; i++)
			assert_int_equal(exchange_serve_fifo_create(LEFT, i, 65536, 0), LIMPET_OK);
		assert_int_equal(exchange_serve_fifo_create(LEFT, 14, 65536 + 1, 0), LIMPET_ERANGE);
		assert_int_equal(exchange_serve_fifo_create(LEFT, 14, 65536, 0), LIMPET_OK);
		assert_int_equal(exchange_serve_fifo_create(LEFT, 15, 4096, 0), LIMPET_EQUOTA);
		assert_int_equal(exchange_serve_fifo_create(RIGHT, 15, 65536, 0), LIMPET_OK);
		assert_int_equal(exchange_serve_fifo_destroy(RIGHT, 15), LIMPET_OK);
		for (word i = 0; i < QUEUES_EACH; i++) {
			exchange_serve_queue_unlink(LEFT, NAME + i, 0, 0, 0);
			exchange_serve_queue_close(LEFT, (word)queues[i]);
		}
		for (word i = 0; i < 15; i++)
			exchange_serve_fifo_destroy(LEFT, i);
		assert_int_equal(allocated, before);
	}
}

/*
 * After a restart a module's FIFOs do not exist, but their numbers stay its own. Its queues are closed, and other
 * modules keep them.
 */
static void test_restart(void **state)
{
	const word queue = (word)queue_make(LEFT, NAME, 4, 16);
	struct exchange_queue_receive_results out;

	(void)state;
	queue_make(RIGHT, NAME, 1, 1);
	exchange_serve_queue_send(LEFT, queue, 4, 0, 0);
	exchange_serve_fifo_create(LEFT, 9, 10, 0);
	share(LEFT);
	assert_int_equal(exchange_serve_queue_send(LEFT, queue, 4, 0, 0), LIMPET_ENOENT);
	assert_int_equal(exchange_serve_queue_receive(RIGHT, queue, 0, &out), 4);
	assert_int_equal(exchange_serve_fifo_put(RIGHT, 9, 1), LIMPET_ENOENT);
	assert_int_equal(exchange_serve_fifo_create(RIGHT, 9, 10, 0), LIMPET_EBUSY);
	assert_int_equal(exchange_serve_fifo_create(LEFT, 9, 10, 0), LIMPET_OK);
	assert_int_equal(exchange_serve_fifo_destroy(LEFT, 9), LIMPET_OK);
}

/* An unlinked queue that its creator has closed is charged to a client that has it open. */
static void test_charge(void **state)
{
	const word before = allocated;
	long mine, queues[QUEUES_EACH];

	(void)state;
	for (word i = 0; i < QUEUES_EACH; i++) {
		mine = queue_make(LEFT, NAME, 1, 16);
		assert_true(mine >= 0);
		queues[i] = queue_make(RIGHT, NAME, 1, 16);
		if (i % 2)
			assert_int_equal(exchange_serve_queue_close(LEFT, (word)mine), LIMPET_OK);
		assert_int_equal(exchange_serve_queue_unlink(RIGHT, NAME, 0, 0, 0), LIMPET_OK);
		if (!(i % 2))
			share(LEFT);
	}
	for (word i = 0; i < QUEUES_EACH; i++)
		assert_int_equal(exchange_serve_queue_send(RIGHT, (word)queues[i], 1, 0, 0),
				 LIMPET_OK);
	assert_int_equal(queue_make(RIGHT, NAME + 1, 1, 16), LIMPET_EFULL);
	/* No client has quota for the next one, so it is closed. */
	mine = queue_make(LEFT, NAME, 1, 16);
	assert_true(mine >= 0);
	assert_int_equal(queue_make(RIGHT, NAME, 1, 16), mine);
	wait_in(RIGHT, 14, (word)mine, 3);
	exchange_serve_queue_unlink(RIGHT, NAME, 0, 0, 0);
	resumes = 0;
	assert_int_equal(exchange_serve_queue_close(LEFT, (word)mine), LIMPET_OK);
	assert_int_equal(resumes, 1);
	assert_int_equal(resumed[0], 14);
	assert_int_equal(exchange_serve_queue_send(RIGHT, (word)mine, 1, 0, 0), LIMPET_ENOENT);
	for (word i = 0; i < QUEUES_EACH; i++)
		assert_int_equal(exchange_serve_queue_close(RIGHT, (word)queues[i]), LIMPET_OK);
	assert_int_equal(allocated, before);
}

static void test_clients(void **state)
{
	struct exchange_share_results out;

	(void)state;
	assert_int_equal(exchange_serve_share(50, &out), LIMPET_ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_arguments, setup),
		cmocka_unit_test_setup(test_messages, setup),
		cmocka_unit_test_setup(test_waiters, setup),
		cmocka_unit_test_setup(test_waits_end, setup),
		cmocka_unit_test_setup(test_notices, setup),
		cmocka_unit_test_setup(test_fifo, setup),
		cmocka_unit_test_setup(test_limits, setup),
		cmocka_unit_test_setup(test_restart, setup),
		cmocka_unit_test_setup(test_charge, setup),
		cmocka_unit_test_setup(test_clients, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
