// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/first.h>
#include <import/timer.h>

#include "../order.h"

#define LINKS 5
#define LONG_US 20000 /* a later stop misses the thread */

static unsigned long right, late, wrong, stops[LINKS + 1], orders;

static void complain(const char *what, word depth, word link, word value)
{
	if (wrong++ < 10)
		limpet_print("wrong: %s %ld, at depth %lu, link %lu stopped\n", what, (long)value,
			     depth, link);
}

/* Checks that all links above the stopped one return, and that the lowest of them gets the error. */
static void judge(word depth, word link, long status, word x, word y)
{
	if (status == LIMPET_OK && x == NOBODY_STOPPED && y == depth)
		late++;
	else if (link == 1 && status != LIMPET_ECRASH)
		complain("status of the first link", depth, link, (word)status);
	else if (link == 1)
		right++;
	else if (status != LIMPET_OK)
		complain("status", depth, link, (word)status);
	else if (x != -LIMPET_ECRASH)
		complain("error", depth, link, x);
	else if (y != link - 1)
		complain("links that came back", depth, link, y);
	else
		right++;
}

static void go(word depth, word link, word what, word until)
{
	word x = 0, y = 0, z = 0;
	long status = first_call4(depth - 1, what, link, until, &x, &y, &z);

	stops[link]++;
	judge(depth, link, status, x, y);
	/* The chain can be used again immediately. */
	status = first_call4(LINKS - 1, DO_SPIN, link, 0, &x, &y, &z);
	if (status || x != NOBODY_STOPPED || y != LINKS || z != link)
		complain("the chain afterwards", depth, link, (word)status);
}

/* Stops the link early enough that the thread is inside, and late enough that it has reached the link. */
static void go_timed(word depth, word link, word what, word us)
{
	word due = limpet_time() + limpet_us_to_ticks(us), x;
	long status = timer_call4(link, due, 0, 0, &x, &x, &x);

	if (status)
		complain("timer", depth, link, (word)status);
	go(depth, link, what, due + limpet_us_to_ticks(what == DO_SPIN ? LONG_US : us));
	/* Wait for a late stop, which must not affect the next round. */
	for (orders++; timer_call0() != (long)orders;)
		;
}

static void report(const char *name, word wanted)
{
	limpet_print("%s: right %lu of %lu, late %lu, wrong %lu\n", name, right, wanted, late,
		     wrong);
	right = late = wrong = 0;
}

void component_main(const struct limpet_info *info)
{
	word rounds = (word)limpet_arg_number(info, "rounds", 100);
	word timed = (word)limpet_arg_number(info, "timed", 20);

	for (word i = 0; i < rounds; i++)
		for (word depth = 1; depth <= LINKS; depth++)
			for (word link = 1; link <= depth; link++)
				go(depth, link, DO_STOP, 0);
	report("itself", rounds * 15);
	for (word i = 0; i < timed; i++)
		for (word depth = 1; depth <= LINKS; depth++)
			for (word link = 1; link <= depth; link++)
				go_timed(depth, link, DO_SPIN, 500 + i * 37 % 1500);
	report("computing", timed * 15);
	for (word i = 0; i < timed; i++)
		for (word depth = 1; depth <= LINKS; depth++)
			for (word link = 1; link <= depth; link++)
				go_timed(depth, link, DO_SLEEP, 500 + i * 37 % 1500);
	report("asleep", timed * 15);
	limpet_print("stops %lu %lu %lu %lu %lu\n", stops[1], stops[2], stops[3], stops[4],
		     stops[5]);
	limpet_print("end\n");
}
