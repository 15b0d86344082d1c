// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

#include "hold.h"

#define COMPLAINTS 8

static unsigned long computing, blocking, wrong;
static struct vectors in, out;

/* Returns the gate's number for rax. The stub is not used, because it would clear the registers. */
static long sleep_call(void)
{
	long call;

	asm("movq $__limpet_import_sched_sleep_until, %0" : "=r"(call));
	return call;
}

static void check(bool blocked, long status)
{
	const char *what = vectors_differ(&in, &out);

	if (status)
		what = "the status";
	(*(blocked ? &blocking : &computing))++;
	if (what && wrong++ < COMPLAINTS)
		limpet_print("wrong: %s, after %s, status %ld\n", what,
			     blocked ? "a blocking call" : "computing", status);
}

void component_main(const struct limpet_info *info)
{
	uint64_t rounds = (uint64_t)limpet_arg_number(info, "rounds", 1000);
	uint64_t longest = limpet_us_to_ticks((uint64_t)limpet_arg_number(info, "burst-us", 500));
	uint64_t seed = (uint64_t)limpet_arg_number(info, "seed", 1) * 0x9e3779b97f4a7c15ul;

	/* No stub runs between fill and check, so only this code changes registers. */
	for (uint64_t i = 0; i < rounds; i++) {
		bool block = i & 1;
		uint64_t until;
		long status;

		vectors_fill(&in, &seed, 0);
		until = limpet_time() + vectors_random(&seed) % longest;
		status = vectors_hold(&in, &out, block ? sleep_call() : 0, until);
		check(block, status);
	}
	limpet_print("computing %lu, blocking %lu, wrong %lu\n", computing, blocking, wrong);
	limpet_print("end\n");
}
