// SPDX-License-Identifier: GPL-2.0
/* Prints BUILD. VERSION is the version of its state. With CRASH it crashes, and with FAIL its initialisation fails. */
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/state.h>
#include <runtime/time.h>

#include <export/fragile.h>
#include <import/sched.h>

#ifndef BUILD
#define BUILD 1
#endif
#ifndef VERSION
#define VERSION 1
#endif
#ifdef MORE
#include <export/heartbeat.h>

long heartbeat_serve_beat(word badge)
{
	(void)badge;
	return LIMPET_OK;
}
#endif

#define REPORT 20 /* in periods */

struct count {
	uint64_t periods;
};

LIMPET_STATE(struct count, count, VERSION);

/* These variables are not kept. The padding has another size in each build, which moves other variables. */
static uint64_t started_at, padding[BUILD * 100];
static const char *const words[] = { "build", "count", "since", "updates" };

long fragile_serve_life(word badge)
{
	(void)badge;
	return (long)count.value.periods;
}

long fragile_serve_add(word badge, word value)
{
	(void)badge;
	return (long)((value + padding[value % (BUILD * 100)]) % BUILD);
}

long fragile_serve_crash(word badge, word how, word chance)
{
	(void)badge;
	(void)how;
	(void)chance;
	return LIMPET_ERANGE;
}

static void report(void)
{
	limpet_print("%s %u %s %lu %s %lu %s %u\n", words[0], BUILD, words[1], count.value.periods,
		     words[2], started_at, words[3], count.head.updates);
#ifdef CRASH
	asm volatile("ud2");
#endif
}

void component_main(const struct limpet_info *info)
{
	word due;

	(void)info;
	sched_periodic(limpet_us_to_ticks(1000), 0);
	for (;;) {
		sched_periodic_wait(&due);
		if (++count.value.periods % REPORT == 0)
			report();
	}
}

long component_init(const struct limpet_info *info)
{
	(void)info;
	started_at = count.value.periods;
#ifdef FAIL
	return LIMPET_ENOMEM;
#else
	return LIMPET_OK;
#endif
}
