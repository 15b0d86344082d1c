// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <cli/command/crash/crash_log.h>

#define TRIES 1000

bool crash_log_open(struct crash_log *log, const void *memory, size_t size)
{
	struct limpet_crash_log head;

	if (size < 2 * LIMPET_CRASH_PAGE)
		return false;
	memcpy(&head, memory, sizeof(head));
	*log = (struct crash_log){ memory,    head.records, head.crashes,
				   head.lost, head.begin,   head.ticks_per_ms };
	return head.magic == LIMPET_CRASH_MAGIC && head.version == LIMPET_CRASH_VERSION &&
	       head.records && head.records < size / LIMPET_CRASH_PAGE && head.ticks_per_ms;
}

uint64_t crash_log_first(const struct crash_log *log)
{
	return log->crashes > log->records ? log->crashes - log->records : 0;
}

/*
 * An equal and even sequence number before and after the copy means that the record was not written
 * meanwhile.
 */
static bool copy(const struct limpet_crash *from, struct limpet_crash *to)
{
	for (unsigned int i = 0; i < TRIES; i++) {
		uint32_t before = __atomic_load_n(&from->sequence, __ATOMIC_ACQUIRE);

		memcpy(to, from, sizeof(*to));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (before && before % 2 == 0 &&
		    __atomic_load_n(&from->sequence, __ATOMIC_RELAXED) == before)
			return true;
	}
	return false;
}

static void end_texts(struct limpet_crash *crash)
{
	crash->name[sizeof(crash->name) - 1] = 0;
	for (unsigned int i = 0; i < LIMPET_CRASH_FRAMES; i++)
		crash->frame[i].symbol[LIMPET_CRASH_SYMBOL - 1] = 0;
	for (unsigned int i = 0; i < LIMPET_CRASH_CALLERS; i++) {
		crash->caller[i].symbol[LIMPET_CRASH_SYMBOL - 1] = 0;
		crash->caller_name[i][sizeof(crash->caller_name[i]) - 1] = 0;
	}
}

bool crash_log_take(const struct crash_log *log, uint64_t number, struct limpet_crash *to)
{
	const char *at = log->memory;

	if (!copy((const void *)(at + (number % log->records + 1) * LIMPET_CRASH_PAGE), to))
		return false;
	end_texts(to);
	return to->number == number && to->frames <= LIMPET_CRASH_FRAMES &&
	       to->callers <= LIMPET_CRASH_CALLERS;
}
