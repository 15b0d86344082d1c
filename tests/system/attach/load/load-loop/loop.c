// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

#define PERIOD_US 1000
#define REPORT 500 /* in periods */
#define WORDS (LIMPET_PAGE / sizeof(word))

static unsigned long wrong;

static word pattern(word at)
{
	return (at + 1) * 0x9e3779b97f4a7c15ul;
}

static void fill(word *heap, word words)
{
	for (word i = 0; i < words; i++)
		heap[i] = pattern(i);
}

static void check(const word *heap, word page)
{
	for (word i = page * WORDS; i < (page + 1) * WORDS; i++)
		if (heap[i] != pattern(i) && wrong++ < 5)
			limpet_print("wrong: word %lu of its memory is %lx\n", i, heap[i]);
}

void component_main(const struct limpet_info *info)
{
	word *heap = (word *)info->heap, pages = info->heap_size / LIMPET_PAGE;
	word period = limpet_us_to_ticks(PERIOD_US), first, due;
	unsigned long periods = 0, waits = 0;

	fill(heap, pages * WORDS);
	first = limpet_time() + 2 * period;
	sched_periodic(period, first);
	for (;;) {
		long missed = sched_periodic_wait(&due);
		word now = limpet_time();

		/* If releases have passed, the loop continues with the last one. */
		periods += missed > 1 ? (unsigned long)missed : 1;
		waits++;
		if (missed < 0 || due != first + (periods - 1) * period || now < due)
			wrong++;
		check(heap, waits % pages);
		if (waits % REPORT == 0)
			limpet_print("periods %lu, waits %lu, wrong %lu\n", periods, waits, wrong);
	}
}
