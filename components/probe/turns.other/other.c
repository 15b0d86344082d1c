// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/measure.h>

#include <export/turns.h>
#include <import/sched.h>

static uint64_t stamps[MEASURE_MAX + MEASURE_WARM_UP];
static word turns, first;
static bool ended;

long turns_serve_begin(word badge, word thread)
{
	(void)badge;
	first = thread;
	return limpet_info()->thread;
}

long turns_serve_stamp(word badge, word turn, struct turns_stamp_results *out)
{
	(void)badge;
	if (turn >= turns)
		return LIMPET_ENOENT;
	out->time = stamps[turn];
	return LIMPET_OK;
}

long turns_serve_end(word badge)
{
	(void)badge;
	ended = true;
	return sched_wake(limpet_info()->thread);
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	for (;;) {
		long status = sched_block();
		uint64_t now = limpet_time();

		if (status || ended || turns == array_size(stamps))
			return;
		stamps[turns++] = now;
		sched_wake(first);
	}
}
