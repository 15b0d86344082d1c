// SPDX-License-Identifier: GPL-2.0
/* Tests the CPU capability, and messages from the host. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "objects.h"

static void test_info(void **state)
{
	(void)state;
	assert_status(call(CPU_INFO, EMPTY, LIMPET_CPU_IDENTITY), ESLOT);
	assert_status(call(CPU_INFO, T, LIMPET_CPU_IDENTITY), ETYPE);
	assert_status(call(CPU_INFO, LIMPET_BOOT_CPU, 3), ERANGE);
	assert_status(call(CPU_INFO, LIMPET_BOOT_CPU, 1ul << 32), ERANGE);
	machine_play(1);
	assert_ok(call(CPU_INFO, weaker(LIMPET_BOOT_CPU, 0), LIMPET_CPU_IDENTITY));
	assert_int_equal(user->words[0], 1);
	assert_int_equal(user->words[1], 2);
	fake_processor->time = 123456;
	assert_ok(call(CPU_INFO, LIMPET_BOOT_CPU, LIMPET_CPU_TIME));
	assert_int_equal(user->words[0], 123456);
	assert_int_equal(user->words[1], 1000);
	assert_ok(call(CPU_INFO, LIMPET_BOOT_CPU, LIMPET_CPU_THREAD));
	assert_int_equal(user->words[0], thread_size(0));
	assert_int_equal(user->words[1], sizeof(struct invocation));
}

static void print(const char text[40])
{
	word words[6] = { LIMPET_BOOT_CPU };

	memcpy(&words[1], text, 40);
	assert_ok(call_words(LIMPET_CALL_CPU_PRINT, words));
}

static void test_print(void **state)
{
	(void)state;
	assert_status(call(CPU_PRINT, EMPTY), ESLOT);
	assert_status(call(CPU_PRINT, T), ETYPE);
	assert_status(call(CPU_PRINT, weaker(LIMPET_BOOT_CPU, LIMPET_READ)), ERIGHTS);
	print("hello, \0ignored                        ");
	print("0123456789012345678901234567890123456789");
	assert_true(cpu->host.pending & HOST_PRINT);
	host_serve();
	assert_int_equal(host->length, 47);
	assert_memory_equal(host->print, "hello, 0123456789012345678901234567890123456789", 47);
}

/* Only words that the host does not read in time are lost. */
static void test_print_too_much(void **state)
{
	const word x = 0x7878787878787878ul;

	(void)state;
	for (unsigned int i = 0; i < 40; i++) {
		const word words[6] = { LIMPET_BOOT_CPU, x, x, x, x, x };

		for (unsigned int n = 0; n < 6; n++)
			hal_regs_set_word(&cpu->thread->regs, n, words[n]);
		kernel_call(cpu, LIMPET_CALL_CPU_PRINT);
	}
	assert_int_equal(cpu->host.print_length, HOST_PRINT_MAX);
	assert_int_equal(cpu->host.notify[0], 0);
	host_serve();
	assert_int_equal(host->length, HOST_PRINT_MAX);
}

/* The host requests its share of the CPU, or the end. */
static void test_host_requests(void **state)
{
	(void)state;
	hal_or(&cpu->inbox.requests, HOST_SHARE);
	interrupt();
	assert_true(cpu->host.pending & HOST_SHARE);
	host_serve();
	assert_int_equal(host->shares, 1);
	assert_int_equal(cpu->host.pending, 0);
	hal_or(&cpu->inbox.requests, HOST_END);
	interrupt();
	assert_true(cpu->host.pending & HOST_END);
}

/* Puts the first event of a word into the inbox. */
static void word_came(unsigned int n)
{
	inbox_put(&cpu->inbox, n * 64);
}

static u64 taken(unsigned int n)
{
	return cpu->source[n * 64].count;
}

static word left(void)
{
	return cpu->inbox.requests >> INBOX_WORD;
}

/*
 * An event that was sent twice is one event. The words of an inbox are read one at a time, or
 * several.
 */
static void test_events(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < INBOX_WORDS; n++) {
		word_came(n);
		word_came(n);
		inbox_put(&cpu->inbox, n * 64 + 63);
		interrupt();
		assert_int_equal(taken(n), 1);
		assert_int_equal(cpu->source[n * 64 + 63].count, 1);
		assert_int_equal(left(), 0);
		assert_int_equal(cpu->host.pending & HOST_KICK, 0);
	}
	word_came(0);
	word_came(INBOX_WORDS - 1);
	interrupt();
	assert_int_equal(taken(0), 2);
	assert_int_equal(taken(INBOX_WORDS - 1), 2);
	interrupt();
	assert_int_equal(taken(0), 2);
}

/* A turn reads a bounded number of words. The CPU then requests another turn for the others. */
static void test_turns(void **state)
{
	(void)state;
	for (unsigned int n = 0; n < INBOX_WORDS; n++)
		word_came(n);
	interrupt();
	for (unsigned int n = 0; n < INBOX_WORDS; n++)
		assert_int_equal(taken(n), n < INBOX_AT_ONCE);
	assert_int_equal(left(), (1ul << INBOX_WORDS) - (1ul << INBOX_AT_ONCE));
	assert_true(cpu->host.pending & HOST_KICK);
	assert_int_equal(cpu->host.kick, 1ul << cpu->number);
	while (left())
		host_serve();
	for (unsigned int n = 0; n < INBOX_WORDS; n++)
		assert_int_equal(taken(n), 1);
}

/* Words that fill again before each turn do not delay other words. */
static void test_turns_are_fair(void **state)
{
	const unsigned int last = INBOX_WORDS - 1, turns = INBOX_WORDS / INBOX_AT_ONCE;

	(void)state;
	for (unsigned int n = 0; n < INBOX_WORDS; n++) {
		word_came(n);
		interrupt();
		word_came(last);
		for (unsigned int i = 0; i < turns; i++) {
			for (unsigned int other = 0; other < last; other++)
				word_came(other);
			host_serve();
		}
		assert_int_equal(taken(last), n + 1 + (n == last));
		while (left())
			host_serve();
	}
}

/* Requests of the host and of the kernel arrive together with an event. */
static void test_together(void **state)
{
	(void)state;
	word_came(1);
	hal_or(&cpu->inbox.requests, HOST_SHARE | INBOX_STOPPED);
	cpu->notify_left = 64 + 1; /* threads that can be notified in one turn, and one more */
	interrupt();
	assert_true(cpu->host.pending & HOST_SHARE);
	assert_int_equal(taken(1), 1);
	assert_int_equal(cpu->notify_left, 1);
	assert_int_equal(cpu->inbox.requests, INBOX_STOPPED);
	host_serve();
	assert_int_equal(cpu->notify_left, 0);
	assert_int_equal(cpu->inbox.requests, 0);
}

#define ROUNDS 4000
#define ROUNDS_LONG 20000 /* with LIMPET_LONG=1 */
#define SENDERS 2
#define YIELDS 16 /* before a pause */

static unsigned int rounds;
static bool lost;
static u64 sent; /* events that are in the inbox, or were taken */

/*
 * Puts events into each of the words in turn. Waits until the previous event is taken before it puts the next one. Senders
 * that only yield can keep the receiver from running for milliseconds on a loaded machine, so the wait has pauses.
 */
static void *sender(void *bit)
{
	unsigned int waits = 0;

	for (unsigned int i = 0; i < rounds && !__atomic_load_n(&lost, __ATOMIC_RELAXED); i++) {
		unsigned int n = i % INBOX_WORDS;

		inbox_put(&cpu->inbox, n * 64 + (unsigned int)(uintptr_t)bit);
		__atomic_fetch_add(&sent, 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(&cpu->inbox.event[n], __ATOMIC_RELAXED) &
			       1ul << (uintptr_t)bit &&
		       !__atomic_load_n(&lost, __ATOMIC_RELAXED))
			if (++waits % YIELDS)
				sched_yield();
			else
				usleep(1);
	}
	return NULL;
}

static u64 events_taken(void)
{
	u64 sum = 0;

	for (unsigned int i = 0; i < INBOX_EVENTS; i++)
		sum += cpu->source[i].count;
	return sum;
}

/* Events that are put while the CPU takes others are not lost. One turn per possible word takes all of them. */
static void test_events_race(void **state)
{
	pthread_t thread[SENDERS];
	u64 wanted = 0;

	(void)state;
	rounds = getenv("LIMPET_LONG") ? ROUNDS_LONG : ROUNDS;
	lost = false;
	sent = 0;
	for (uintptr_t i = 0; i < SENDERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, sender, (void *)i), 0);
	while (!lost && wanted < SENDERS * rounds) {
		wanted = __atomic_load_n(&sent, __ATOMIC_ACQUIRE);
		for (unsigned int i = 0; i < INBOX_WORDS; i++)
			kernel_resume(cpu);
		__atomic_store_n(&lost, events_taken() < wanted, __ATOMIC_RELAXED);
	}
	for (unsigned int i = 0; i < SENDERS; i++)
		pthread_join(thread[i], NULL);
	assert_false(lost);
	assert_int_equal(events_taken(), SENDERS * rounds);
	host_serve();
}

/* Deletes the capability to the CPU. The CPU stays. */
static void test_capability_goes(void **state)
{
	word ep = object_new(LIMPET_ENDPOINT, 1);

	(void)state;
	assert_ok(call(ENDPOINT_BIND, ep, LIMPET_BOOT_THREAD));
	assert_ok(call(CPU_TIMER, LIMPET_BOOT_CPU, ep));
	assert_ok(delete_all(LIMPET_BOOT_CPU));
	call(ENDPOINT_RECEIVE, ep, fake_processor->time + 10, 0);
	time_pass(10);
	assert_int_equal(user->words[0], LIMPET_EVENT_TIMER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_TWO(test_info),	    TEST(test_print),	   TEST(test_print_too_much),
		TEST(test_host_requests),   TEST_TWO(test_events), TEST_TWO(test_turns),
		TEST(test_turns_are_fair),  TEST(test_together),   TEST(test_events_race),
		TEST(test_capability_goes),
	};

	return RUN("cpu", tests);
}
