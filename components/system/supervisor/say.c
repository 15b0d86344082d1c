// SPDX-License-Identifier: BSD-2-Clause
/* Prints lines if the system has a log. */
#include <runtime/format.h>
#include <runtime/print.h>

#include <image/fault.h>

#include "supervisor.h"

#define LINE 240

void say(const char *format, ...)
{
	char line[LINE];
	va_list values;
	size_t length;

	va_start(values, format);
	length = limpet_vformat(line, sizeof(line), format, values);
	va_end(values);
	limpet_write(line, length < sizeof(line) ? length : sizeof(line) - 1);
}

static void what_format(char *to, size_t size, const struct crash *crash)
{
	if (crash->kind == FAULT_PAGE)
		limpet_format(to, size, "%s address 0x%lx", fault_page_words(crash->code),
			      crash->address);
	else
		limpet_format(to, size, "%s", fault_words((uint32_t)crash->kind));
}

static void where_format(char *to, size_t size, const struct supervised *supervised,
			 const struct crash *crash)
{
	struct limpet_crash_place place;

	symbol_find(supervised->info->component, crash->ip, &place);
	if (crash->kind == LIMPET_CRASH_HEARTBEAT)
		limpet_format(to, size, "in %u ms", supervised->record->heartbeat_ms);
	else if (place.symbol[0])
		limpet_format(to, size, "in %s+0x%x, thread %lu", place.symbol, place.offset,
			      crash->thread);
	else
		limpet_format(to, size, "at 0x%lx, thread %lu", crash->ip, crash->thread);
}

static void then_format(char *to, size_t size, const struct outcome *outcome)
{
	switch (outcome->what) {
	case LIMPET_CRASH_CHECKPOINT:
	case LIMPET_CRASH_IMAGE:
		limpet_format(to, size, "restart %u, from its %s", outcome->restarts,
			      outcome->back			    ? "build before the update"
			      : outcome->what == LIMPET_CRASH_IMAGE ? "image"
								    : "checkpoint");
		break;
	case LIMPET_CRASH_STOPPED:
		limpet_format(to, size, "it stays stopped");
		break;
	case LIMPET_CRASH_LIMIT:
		limpet_format(to, size, "it stays stopped after %u restarts", outcome->restarts);
		break;
	case LIMPET_CRASH_FAILED:
		limpet_format(to, size, "it stays stopped, its restart failed: %s",
			      limpet_error_text(outcome->status));
		break;
	case LIMPET_CRASH_HALTED:
		limpet_format(to, size, "the system ends");
		break;
	}
}

void say_crash(const struct supervised *supervised, const struct crash *crash,
	       const struct outcome *outcome)
{
	char what[64], where[80], then[96];

	what_format(what, sizeof(what), crash);
	where_format(where, sizeof(where), supervised, crash);
	then_format(then, sizeof(then), outcome);
	say("%s: %s %s: %s\n", supervised->name, what, where, then);
}
