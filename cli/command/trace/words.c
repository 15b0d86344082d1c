// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <string.h>

#include <guest/calls.h>
#include <limpet/call.h>

#include <cli/common/file.h>
#include <cli/command/trace/trace.h>

static const struct {
	const char *word, *argument;
} kinds[LIMPET_TRACE_KINDS] = {
	[LIMPET_TRACE_START] = { "start", "depth" },
	[LIMPET_TRACE_DISPATCH] = { "dispatch", "depth" },
	[LIMPET_TRACE_INVOKE] = { "invoke", "" },
	[LIMPET_TRACE_RETURN] = { "return", "" },
	[LIMPET_TRACE_EVENT] = { "event", "bit" },
	[LIMPET_TRACE_FAULT] = { "fault", "kind" },
	[LIMPET_TRACE_TIMER] = { "timer", "" },
	[LIMPET_TRACE_RESUME] = { "resume", "depth" },
	[LIMPET_TRACE_PAUSE] = { "pause", "reasons" },
	[LIMPET_TRACE_CALL] = { "call", "number" },
	[LIMPET_TRACE_GUEST_CALL] = { "guest-call", "number" },
	[LIMPET_TRACE_GUEST_RESULT] = { "guest-result", "number" },
};

const char *trace_kind_word(unsigned int kind)
{
	return kind < LIMPET_TRACE_KINDS ? kinds[kind].word : "?";
}

const char *trace_argument_word(unsigned int kind)
{
	return kind < LIMPET_TRACE_KINDS ? kinds[kind].argument : "";
}

unsigned int trace_kinds(const char *words)
{
	unsigned int found = 0;

	while (*words) {
		size_t length = strcspn(words, ",");
		unsigned int kind = LIMPET_TRACE_DISPATCH;

		while (kind < LIMPET_TRACE_KINDS &&
		       (strncmp(kinds[kind].word, words, length) || kinds[kind].word[length]))
			kind++;
		if (kind == LIMPET_TRACE_KINDS)
			return 0;
		found |= 1u << kind;
		words += length;
		if (*words && !*++words)
			return 0; /* the text ends in a comma */
	}
	return found;
}

const char *trace_call_word(unsigned int number)
{
#define NAME(name, number, words) [number] = #name,
	static const char *const names[] = { LIMPET_CALLS(NAME) };
#undef NAME

	return number < LIMPET_CALL_COUNT ? names[number] : "?";
}

const char *trace_guest_word(unsigned int number)
{
	const struct guest_call *call = guest_call_at((long)number);

	return call ? call->name : "?";
}

bool trace_thread_name(const struct snapshot *snapshot, unsigned int cpu, unsigned int id, char *to,
		       size_t size)
{
	const struct limpet_stat *stat = &snapshot->stat;

	for (unsigned int i = 0; i < stat->threads; i++)
		if (stat->thread[i].cpu == cpu && stat->thread[i].id == id) {
			snprintf(to, size, "%s #%u",
				 image_component_name(&snapshot->image, stat->thread[i].home), id);
			return true;
		}
	snprintf(to, size, "#%u", id);
	return false;
}

FILE *trace_create(const char *folder, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return file_create(path);
}

bool trace_close(FILE *file)
{
	return file_close(file, "the trace");
}
