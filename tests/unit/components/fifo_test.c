// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests lib/fifo, a component's end of its FIFOs. The test simulates the kernel, and Linux like
 * host/linux/channel/fifo.c. Linux also writes random values. The pages around the memory cannot be accessed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include <channel/channel.h>
#include <fifo/fifo.h>
#include <runtime/component.h>

#include "../sched_objects.h"

#define RING 4096u
#define ALL 4
#define SIZE 100
#define AREA 3

static struct limpet_info_channel infos[ALL] = {
	{ "rtf1", LIMPET_CHANNEL_FIFO, RING, RING, 32, 0, 0, 0, 0 },
	{ "rtf63", LIMPET_CHANNEL_FIFO, RING, RING, 33, 0, 0, 0, 0 },
	{ "rtf5", LIMPET_CHANNEL_FIFO, RING, 0, 34, 0, 0, 0, 0 },
	[AREA] = { "my-area", LIMPET_CHANNEL_ATTACHED, RING, 0, 35, 0, 0, 0, 0 },
};
extern struct limpet_info own asm("__limpet_info");
struct limpet_info own = { .channels = ALL, .channel_info = (uint64_t)infos, .channel_slot = 40 };
static unsigned int notified[ALL];
static word stops;
static void (*asleep)(void); /* action of Linux while the component waits */

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	if (LIMPET_CALL(0) - op == LIMPET_CALL_CHANNEL_STATE)
		out->w0 = stops;
	else
		notified[in[0] - own.channel_slot]++;
	return LIMPET_OK;
}

unsigned int limpet_thread_id(void)
{
	return 1;
}

/* The test has one thread, so no mutex is contended and these functions are not called. */
long sched_suspend_for(word owner, word deadline)
{
	(void)owner;
	(void)deadline;
	fail();
	return LIMPET_ESTATE;
}

long sched_resume(word thread)
{
	(void)thread;
	fail();
	return LIMPET_ESTATE;
}

long sched_priority(word thread, word priority)
{
	(void)thread;
	(void)priority;
	fail();
	return LIMPET_ESTATE;
}

uint64_t limpet_time(void)
{
	return 0;
}

long channel_wait_until(word bits, word *came, uint64_t deadline)
{
	assert_int_equal(bits, 0);
	*came = 0;
	if (!asleep)
		return deadline == LIMPET_NEVER ? LIMPET_ESTATE : LIMPET_ETIME;
	asleep();
	*came = 1ul << 32;
	return LIMPET_OK;
}

static struct limpet_channel_header *header(unsigned int n)
{
	return (struct limpet_channel_header *)infos[n].address;
}

static char *ring(unsigned int n, bool to_linux)
{
	return (char *)header(n) + LIMPET_CHANNEL_PAGE + (to_linux ? 0 : infos[n].to_linux);
}

/* Linux reads the component's generation. */
static void linux_notice(unsigned int n)
{
	struct limpet_channel_header *h = header(n);

	if (h->host.seen == h->component.generation)
		return;
	h->host.head = h->host.tail = 0;
	h->host.seen = h->component.generation;
}

static uint64_t linux_read(unsigned int n, char *to)
{
	struct limpet_channel_header *h = header(n);
	uint64_t count = 0;

	for (linux_notice(n); h->host.tail != h->component.head; h->host.tail++)
		to[count++] = ring(n, true)[h->host.tail % RING];
	return count;
}

static void linux_write(unsigned int n, const char *text)
{
	struct limpet_channel_header *h = header(n);

	for (linux_notice(n); *text; text++)
		ring(n, false)[h->host.head++ % RING] = *text;
}

static int setup(void **state)
{
	(void)state;
	asleep = NULL;
	for (unsigned int n = 0; n < ALL; n++) {
		uint64_t size = LIMPET_CHANNEL_PAGE + infos[n].to_linux + infos[n].to_component;
		char *all = infos[n].address ? NULL
					     : mmap(NULL, size + 2 * LIMPET_PAGE, PROT_NONE,
						    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		assert_true(all != MAP_FAILED);
		if (all) {
			infos[n].address = (uint64_t)all + LIMPET_PAGE;
			assert_false(mprotect(all + LIMPET_PAGE, size, PROT_READ | PROT_WRITE));
		}
	}
	fifo_destroy(1);
	fifo_destroy(63);
	fifo_destroy(5);
	memset(notified, 0, sizeof(notified));
	assert_int_equal(fifo_create(1, SIZE), 0);
	return 0;
}

static void test_create(void **state)
{
	char byte;

	(void)state;
	assert_int_equal(fifo_create(1, SIZE), FIFO_EBUSY);
	assert_int_equal(fifo_create(2, SIZE), FIFO_ENODEV);
	assert_int_equal(fifo_create(64, SIZE), FIFO_ENODEV);
	assert_int_equal(fifo_create(63, 0), FIFO_EINVAL);
	assert_int_equal(fifo_create(63, RING + 1), FIFO_ENOMEM);
	assert_int_equal(fifo_put(63, "a", 1), FIFO_ENODEV);
	assert_int_equal(fifo_get(63, &byte, 1), FIFO_ENODEV);
	assert_int_equal(fifo_create(63, RING), 0);
	assert_int_equal(fifo_free_bytes(63), RING);
	assert_int_equal(fifo_destroy(63), 0);
	assert_int_equal(fifo_destroy(63), FIFO_ENODEV);
	assert_int_equal(header(1)->component.generation, 0);
	assert_int_equal(fifo_create(5, SIZE), 0);
	assert_int_equal(fifo_get(5, &byte, 1), FIFO_ENODEV);
}

/* All or no bytes are put, also around the end of the ring, before Linux checks. */
static void test_put(void **state)
{
	char block[SIZE], got[RING];

	(void)state;
	for (unsigned int round = 0; round < 100; round++) {
		memset(block, (int)round, sizeof(block));
		assert_int_equal(fifo_put(1, block, 60), 60);
		assert_int_equal(fifo_put(1, block, 41), FIFO_ENOSPC);
		assert_int_equal(fifo_put(1, block + 60, 40), 40);
		assert_int_equal(fifo_free_bytes(1), 0);
		assert_int_equal(fifo_unread_bytes(1), SIZE);
		assert_int_equal(linux_read(0, got), SIZE);
		assert_memory_equal(got, block, SIZE);
	}
}

static void test_get(void **state)
{
	char got[16];

	(void)state;
	assert_int_equal(fifo_get(1, got, 16), 0);
	linux_write(0, "hello");
	assert_int_equal(fifo_used_bytes(1), 5);
	assert_int_equal(fifo_get(1, got, 2), 2);
	assert_int_equal(fifo_get(1, got + 2, 16), 3);
	assert_memory_equal(got, "hello", 5);
	linux_write(0, "lost");
	assert_int_equal(fifo_flush(1), 0);
	assert_int_equal(fifo_used_bytes(1), 0);
	linux_write(0, "new");
	assert_int_equal(fifo_get(1, got, 16), 3);
	assert_int_equal(fifo_resize(1, 50), 0);
	assert_int_equal(fifo_free_bytes(1), 50);
	assert_int_equal(fifo_resize(1, RING + 1), FIFO_ENOMEM);
}

/* Linux is notified only if it waits. */
static void test_notify(void **state)
{
	(void)state;
	notified[0] = 0;
	fifo_put(1, "a", 1);
	assert_int_equal(notified[0], 0);
	header(0)->host.sleeping = LIMPET_SLEEP_DATA;
	fifo_put(1, "a", 1);
	assert_int_equal(notified[0], 1);
	header(0)->host.sleeping = 0;
}

static void test_pair(void **state)
{
	char got[RING];

	(void)state;
	assert_int_equal(fifo_make_pair(1, 63), FIFO_ENODEV);
	assert_int_equal(fifo_create(63, SIZE), 0);
	assert_int_equal(fifo_make_pair(1, 1), FIFO_EINVAL);
	assert_int_equal(fifo_make_pair(1, 63), 0);
	assert_int_equal(fifo_make_pair(63, 1), FIFO_EINVAL);
	assert_int_equal(fifo_put(63, "answer", 6), 6);
	linux_write(0, "ask");
	assert_int_equal(fifo_wait(0, LIMPET_NEVER), 1ul << 1);
	assert_int_equal(linux_read(0, got), 6);
	assert_int_equal(fifo_wait(0, LIMPET_NEVER), 1ul << 63);
	assert_int_equal(fifo_destroy(63), 0);
	assert_int_equal(fifo_put(63, "answer", 6), FIFO_ENODEV);
}

static void linux_wakes(void)
{
	assert_int_equal(header(0)->component.sleeping, LIMPET_SLEEP_DATA | LIMPET_SLEEP_SPACE);
	linux_write(0, "x");
}

/* Linux sends events while the component waits, and while it handles a change. */
static void test_wait(void **state)
{
	(void)state;
	assert_int_equal(fifo_wait(8, LIMPET_NEVER), 8);
	assert_int_equal(fifo_wait(0, 5), 0);
	assert_int_equal(header(0)->component.sleeping, 0);
	asleep = linux_wakes;
	assert_int_equal(fifo_wait(0, LIMPET_NEVER), 2);
	assert_int_equal(header(0)->component.sleeping, LIMPET_SLEEP_DATA | LIMPET_SLEEP_SPACE);
	asleep = NULL;
	assert_int_equal(fifo_wait(0, 5), 0);
	assert_int_equal(header(0)->component.sleeping, 0);
}

static void linux_reads_and_writes(void)
{
	char got[RING];

	assert_int_equal(header(0)->component.sleeping, 0);
	assert_int_equal(linux_read(0, got), 6);
	linux_write(0, "x");
	asleep = NULL; /* the wait ends */
}

static void linux_is_asked(void)
{
	assert_int_equal(header(0)->component.sleeping, 0);
	assert_int_equal(fifo_watch(1, true), 0);
	assert_int_equal(header(0)->component.sleeping, LIMPET_SLEEP_DATA | LIMPET_SLEEP_SPACE);
	linux_write(0, "y");
}

/* Linux sends no event for a FIFO that is not watched. A call while the service thread waits requests events. */
static void test_watch(void **state)
{
	(void)state;
	assert_int_equal(fifo_watch(2, false), FIFO_ENODEV);
	assert_int_equal(fifo_watch(1, false), 0);
	assert_int_equal(fifo_put(1, "answer", 6), 6);
	asleep = linux_reads_and_writes;
	assert_int_equal(fifo_wait(0, LIMPET_NEVER), 0);
	asleep = linux_is_asked;
	assert_int_equal(fifo_wait(0, LIMPET_NEVER), 2);
	asleep = NULL;
	assert_int_equal(fifo_wait(0, 5), 0);
}

static void fifo_is_created_again(void)
{
	const struct limpet_side *own = &header(0)->component;

	assert_int_equal(fifo_destroy(1), 0);
	assert_int_equal(own->sleeping, 0);
	assert_int_equal(fifo_create(1, SIZE), 0);
	assert_int_equal(own->sleeping, LIMPET_SLEEP_DATA | LIMPET_SLEEP_SPACE);
	assert_int_equal(fifo_watch(1, false), 0);
	assert_int_equal(own->sleeping, 0);
	assert_int_equal(fifo_create(63, SIZE), 0);
	assert_int_equal(header(1)->component.sleeping, LIMPET_SLEEP_DATA | LIMPET_SLEEP_SPACE);
	linux_write(0, "x");
	linux_write(1, "y");
}

/* While the service thread waits, calls of other threads change the events that are requested from Linux. */
static void test_changes_while_waiting(void **state)
{
	(void)state;
	assert_int_equal(fifo_watch(1, true), 0);
	asleep = fifo_is_created_again;
	assert_int_equal(fifo_wait(0, LIMPET_NEVER), 1ul << 63);
	asleep = NULL;
	assert_int_equal(fifo_wait(0, 5), 0);
	assert_int_equal(header(1)->component.sleeping, 0);
	assert_int_equal(fifo_watch(1, true), 0);
}

/* A component that crashed while it waited does not get events of a FIFO that it does not watch. */
static void test_crashed_while_waiting(void **state)
{
	(void)state;
	assert_int_equal(fifo_destroy(1), 0);
	assert_int_equal(fifo_watch(1, false), 0);
	header(0)->component.sleeping = LIMPET_SLEEP_DATA;
	assert_int_equal(fifo_create(1, SIZE), 0);
	assert_int_equal(header(0)->component.sleeping, 0);
	linux_write(0, "x");
	assert_int_equal(fifo_wait(0, 5), 0);
	assert_int_equal(fifo_watch(1, true), 0);
}

static void linux_reads_the_pair(void)
{
	assert_int_equal(header(0)->component.sleeping, LIMPET_SLEEP_SPACE);
	assert_int_equal(header(0)->host.tail, 0);
	header(0)->host.tail = header(0)->component.head;
}

/* In a pair, reads and writes of one node use two FIFOs, of which one is watched here. */
static void test_watch_pair(void **state)
{
	(void)state;
	assert_int_equal(fifo_watch(1, false), 0);
	assert_int_equal(fifo_create(63, SIZE), 0);
	assert_int_equal(fifo_make_pair(1, 63), 0);
	assert_int_equal(fifo_put(63, "answer", 6), 6);
	linux_notice(0);
	linux_write(0, "x");
	asleep = linux_reads_the_pair;
	assert_int_equal(fifo_wait(0, LIMPET_NEVER), 1ul << 63);
	asleep = NULL;
	assert_int_equal(fifo_watch(1, true), 0);
	linux_write(0, "y");
	assert_int_equal(fifo_wait(0, 5), 2);
	assert_int_equal(fifo_destroy(63), 0);
}

/*
 * No value of Linux's words makes the library access memory outside the rings. The FIFO works again with correct
 * values.
 */
static void test_scribbled(void **state)
{
	struct limpet_side *host = &header(0)->host;
	char got[RING];
	uint64_t seed = 1;

	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		host->seen = seed & 1 ? header(0)->component.generation : (uint32_t)(seed >> 40);
		host->head = seed & 2 ? seed >> 50 : seed;
		host->tail = seed & 4 ? seed >> 51 : ~seed;
		assert_in_range(fifo_get(1, got, sizeof(got)), 0, RING);
		assert_true(fifo_put(1, got, 30) == 30 || fifo_put(1, got, 30) == FIFO_ENOSPC);
		assert_in_range(fifo_free_bytes(1), 0, SIZE);
	}
	fifo_flush(1);
	assert_int_equal(fifo_put(1, "well", 4), 4);
	assert_int_equal(linux_read(0, got), 4);
	assert_memory_equal(got, "well", 4);
}

/* Each life of the component has a different generation. */
static void test_lives(void **state)
{
	uint32_t before = header(0)->component.generation;

	(void)state;
	assert_int_equal(before >> 16, stops + 1);
	stops++;
	fifo_destroy(1);
	fifo_create(1, SIZE);
	assert_int_equal(header(0)->component.generation >> 16, stops + 1);
}

static void test_mbuff(void **state)
{
	(void)state;
	assert_ptr_equal(mbuff_open("My_Area", RING),
			 (char *)infos[AREA].address + LIMPET_CHANNEL_PAGE);
	assert_null(mbuff_open("my-area", RING + 1));
	assert_null(mbuff_open("my-are", 1));
	assert_null(mbuff_open("rtf1", 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_create, setup),
		cmocka_unit_test_setup(test_put, setup),
		cmocka_unit_test_setup(test_get, setup),
		cmocka_unit_test_setup(test_notify, setup),
		cmocka_unit_test_setup(test_pair, setup),
		cmocka_unit_test_setup(test_wait, setup),
		cmocka_unit_test_setup(test_watch, setup),
		cmocka_unit_test_setup(test_changes_while_waiting, setup),
		cmocka_unit_test_setup(test_crashed_while_waiting, setup),
		cmocka_unit_test_setup(test_watch_pair, setup),
		cmocka_unit_test_setup(test_scribbled, setup),
		cmocka_unit_test_setup(test_lives, setup),
		cmocka_unit_test_setup(test_mbuff, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
