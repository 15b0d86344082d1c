// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/fresh.h>
#include <import/kept.h>
#include <import/one.h>
#include <import/sched.h>
#include <import/two.h>

#define CALLERS 6
#define CALLS 30
/* Real time. If the machine pauses for longer than LONG_US, other threads are inside, or wait. */
#define LONG_US 2000000ul /* a sleep inside, for which others wait */
#define SHORT_US 1000ul	  /* one of many sleeps, some of which overlap */
#define START_US 1000ul	  /* in STARTS of these a thread enters, or waits for a stack */
#define STARTS 5

typedef long call(word a, word b, word c, word d, word *x, word *y, word *z);

static call *server;
static word max, order[CALLERS]; /* order: place in which the threads entered, by argument */
static long status_of[CALLERS];
static unsigned int wrong;

static void complain(const char *what, long value)
{
	if (wrong++ < 10)
		limpet_print("wrong: %s: %ld\n", what, value);
}

/* Calls the server once. `crash`: the server crashes in this call. */
static long server_call(word argument, word us, bool crash)
{
	word x = 0, y = 0, z = 0;
	long status = server(crash, limpet_us_to_ticks(us), 0, 0, &x, &y, &z);

	if (status)
		return status;
	if (x != limpet_thread_id())
		complain("the server saw another thread", (long)x);
	if (y > max)
		max = y;
	order[argument] = z;
	return LIMPET_OK;
}

static word call_often(word argument)
{
	unsigned int done = 0;

	for (unsigned int i = 0; i < CALLS; i++) {
		long status = server_call(argument, SHORT_US * (1 + (argument + i) % 3), false);

		if (status)
			complain("a call", status);
		done += status == LIMPET_OK;
	}
	return done;
}

static word call_long(word argument)
{
	status_of[argument] = server_call(argument, LONG_US, false);
	return 0;
}

static word call_crash(word argument)
{
	status_of[argument] = server_call(argument, LONG_US / 2, true);
	return 0;
}

static long create(word (*function)(word), word argument, word priority)
{
	long thread = sched_create((word)function, argument, priority);

	if (thread < 0)
		complain("create", thread);
	return thread;
}

static word join(long thread)
{
	word value = 0;
	long status = thread < 0 ? thread : sched_join((word)thread, LIMPET_NEVER, &value);

	if (status)
		complain("join", status);
	return value;
}

static void pause_us(word us)
{
	sched_sleep_until(limpet_time() + limpet_us_to_ticks(us));
}

/* Uses several pauses, because the machine can be paused during one of them. */
static void threads_start(void)
{
	for (unsigned int i = 0; i < STARTS; i++)
		pause_us(START_US);
}

/* Makes many calls with `callers` threads. Returns how many succeeded. */
static word crowd(unsigned int callers)
{
	long thread[CALLERS];
	word done = 0;

	max = 0;
	for (unsigned int i = 0; i < callers; i++)
		thread[i] = create(call_often, i, 10 + i);
	for (unsigned int i = 0; i < callers; i++)
		done += join(thread[i]);
	return done;
}

/* Two threads have the stacks. Three of different priority wait, beginning with the lowest priority. */
static void test_order(void)
{
	static const word priority[] = { 5, 5, 10, 20, 30 };
	long thread[array_size(priority)];
	word entered, place[3] = { 0 };

	for (unsigned int i = 0; i < array_size(priority); i++) {
		thread[i] = create(call_long, i, priority[i]);
		threads_start();
	}
	for (unsigned int i = 0; i < array_size(priority); i++)
		join(thread[i]);
	entered = order[0] < order[1] ? order[1] : order[0];
	for (unsigned int i = 2; i < array_size(priority); i++)
		if (order[i] > entered && order[i] - entered <= array_size(place))
			place[order[i] - entered - 1] = priority[i];
	limpet_print("order: %lu %lu %lu\n", place[0], place[1], place[2]);
}

static void test_refused(void)
{
	long thread, status;

	server = one_call4;
	thread = create(call_long, 0, 10);
	threads_start();
	status = server_call(1, 0, false);
	join(thread);
	limpet_print("refused: %s, then %s\n", limpet_error_name(status),
		     limpet_error_name(server_call(1, 0, false)));
	if (status_of[0])
		complain("the call that had the stack", status_of[0]);
}

/* One thread sleeps inside, one crashes the server, one waits for a stack. */
static void test_restart(const char *name, call *restarted)
{
	word (*const function[])(word) = { call_long, call_crash, call_long };
	long thread[3];
	unsigned int crashed = 0;
	word done;

	server = restarted;
	for (unsigned int i = 0; i < 3; i++) {
		thread[i] = create(function[i], i, 10);
		threads_start();
	}
	for (unsigned int i = 0; i < 3; i++) {
		join(thread[i]);
		crashed += status_of[i] == LIMPET_ECRASH;
	}
	done = crowd(2);
	limpet_print("%s: %u ECRASH, then %lu calls, %lu inside\n", name, crashed, done, max);
}

void component_main(const struct limpet_info *info)
{
	word done;

	(void)info;
	server = two_call4;
	done = crowd(CALLERS);
	limpet_print("crowd: %lu calls, %lu inside\n", done, max);
	test_order();
	test_refused();
	test_restart("checkpoint", kept_call4);
	test_restart("image", fresh_call4);
	limpet_print("end: wrong %u\n", wrong);
}
