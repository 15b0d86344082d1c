// SPDX-License-Identifier: GPL-2.0
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/few.h>
#include <import/fresh.h>
#include <import/initial.h>
#include <import/kept.h>
#include <import/last.h>
#include <import/late.h>
#include <import/passed.h>
#include <import/sched.h>
#include <import/stopped.h>

#define NULL_READ 0
#define ENDLESS 13

static void verdict(bool right, const char *what)
{
	limpet_print("%s: %s\n", right ? "right" : "wrong", what);
}

static void sleep_ms(uint64_t ms)
{
	sched_sleep_until(limpet_time() + ms * limpet_info()->ticks_per_ms);
}

/* Checks the sum after restarts: its value at the checkpoint, or 0 of the image. */
static void test_policies(void)
{
	verdict(kept_add(5) == 5 && kept_crash(NULL_READ, 0) == LIMPET_ECRASH && kept_add(1) == 1,
		"from its checkpoint");
	verdict(fresh_add(5) == 5 && fresh_crash(NULL_READ, 0) == LIMPET_ECRASH &&
			fresh_add(1) == 1,
		"from its image");
	verdict(passed_add(5) == 5 && passed_crash(NULL_READ, 0) == LIMPET_ECRASH &&
			passed_add(1) == 1,
		"by way of the memory manager");
	verdict(stopped_crash(NULL_READ, 0) == LIMPET_ECRASH && stopped_add(1) == LIMPET_ECRASH,
		"stays stopped");
	verdict(initial_crash(0, 0) == LIMPET_ECRASH && initial_add(1) == LIMPET_ECRASH,
		"crashes in its initialisation: stays stopped");
}

static void test_limit(void)
{
	bool right = true;

	for (unsigned int i = 0; i < 2; i++)
		right &= few_crash(NULL_READ, 0) == LIMPET_ECRASH && few_add(1) == 1;
	right &= few_crash(NULL_READ, 0) == LIMPET_ECRASH && few_add(1) == LIMPET_ECRASH;
	verdict(right, "two restarts, no more");
}

/*
 * Measures the restart of a thread with a back-off of 100 ms, then 200 ms. Memory and service return immediately. A
 * loaded machine can make the back-off longer, but never shorter. A timer may be a little early.
 */
static void test_backoff(void)
{
	bool right = true;

	for (uint64_t ms = 100; ms <= 200; ms *= 2) {
		const uint64_t before = limpet_time();

		right &= late_crash(NULL_READ, 0) == LIMPET_ECRASH && late_add(1) == 1;
		for (unsigned int looks = 0; !late_life() && looks < 10000; looks++)
			sleep_ms(1);
		right &= limpet_time() - before >= (ms - 1) * limpet_info()->ticks_per_ms;
		right &= late_life() > 0;
	}
	verdict(right, "its thread begins again after its back-off, doubled");
}

/* Runs an endless loop at the priority of the caller. Checks that the caller's thread returns. */
static void test_heartbeat(void)
{
	verdict(late_crash(ENDLESS, 0) == LIMPET_ECRASH && late_add(1) == 1,
		"loops, and is found by its heartbeat");
}

/* Checks that the supervisor without its own thread still restores components that are called. */
static void test_supervisor(void)
{
	bool right = !limpet_call_component_stop(LIMPET_SLOT_STOP);

	right &= kept_crash(NULL_READ, 0) == LIMPET_ECRASH && kept_add(1) == 1;
	sleep_ms(50);
	verdict(right && kept_life() == 0, "the supervisor has crashed: calls are served again");
}

void component_main(const struct limpet_info *info)
{
	const char *of = limpet_arg_text(info, "stop-of", "");

	if (of[0] == 's' && of[1] == 'u') {
		test_policies();
		test_limit();
		test_backoff();
		test_heartbeat();
		test_supervisor();
		limpet_print("done\n");
		return;
	}
	limpet_print("the last step\n");
	sleep_ms(100);
	if (of[0])
		limpet_call_component_stop(LIMPET_SLOT_STOP);
	else
		last_crash(NULL_READ, 0);
	sleep_ms(1);
	limpet_print("wrong: the system goes on\n");
}
