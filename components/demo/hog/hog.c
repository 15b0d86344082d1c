// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/mem.h>
#include <import/sched.h>

#define WORDS_OF_PAGE (LIMPET_PAGE / sizeof(word))

static void burn_until(uint64_t end)
{
	while (limpet_time() < end)
		asm volatile("pause");
}

/* Writes to every word. Returns false if a word was not zero. */
static bool pages_use(word *at, uint64_t pages)
{
	bool zero = true;

	for (uint64_t i = 0; i < pages * WORDS_OF_PAGE; i++) {
		zero &= !at[i];
		at[i] = ~(word)i;
	}
	return zero;
}

static void memory_use(uint64_t pages)
{
	word address;
	long status = mem_allocate(pages, &address);

	if (status < 0) {
		limpet_print("cannot allocate %lu pages: %s\n", pages, limpet_error_text(status));
		return;
	}
	if (!pages_use((word *)address, pages))
		limpet_print("allocated memory has data of another component\n");
	status = mem_free(address);
	if (status < 0)
		limpet_print("cannot free: %s\n", limpet_error_text(status));
}

static void rest(int64_t pause)
{
	if (pause > 0)
		sched_sleep_until(limpet_time() + limpet_us_to_ticks((uint64_t)pause));
	else
		sched_yield();
}

void component_main(const struct limpet_info *info)
{
	int64_t burst = limpet_arg_number(info, "burst-us", 0);
	int64_t pages = limpet_arg_number(info, "pages", 0);

	if (burst <= 0)
		burn_until(LIMPET_NEVER);
	for (;;) {
		uint64_t end = limpet_time() + limpet_us_to_ticks((uint64_t)burst);

		if (pages > 0)
			memory_use((uint64_t)pages);
		burn_until(end);
		rest(limpet_arg_number(info, "pause-us", 0));
	}
}
