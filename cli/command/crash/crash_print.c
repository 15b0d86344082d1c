// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <string.h>

#include <shared/image/fault.h>

#include <cli/command/crash/crash_print.h>
#include <cli/common/source.h>
#include <cli/common/text.h>

static const char *const registers[LIMPET_CRASH_REGISTERS] = {
	"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8",
	"r9",  "r10", "r11", "r12", "r13", "r14", "r15", "rip", "rflags",
};

static const char *outcome_words(unsigned int outcome)
{
	static const char *const words[] = {
		[LIMPET_CRASH_CHECKPOINT] = "serves again, from its checkpoint",
		[LIMPET_CRASH_IMAGE] = "serves again, from its image",
		[LIMPET_CRASH_STOPPED] = "stays stopped",
		[LIMPET_CRASH_LIMIT] = "stays stopped: too many restarts",
		[LIMPET_CRASH_FAILED] = "stays stopped: its restart failed",
		[LIMPET_CRASH_HALTED] = "the system ends",
	};

	return outcome < sizeof(words) / sizeof(*words) && words[outcome] ? words[outcome] : "?";
}

static const char *outcome_word(unsigned int outcome)
{
	static const char *const word[] = {
		[LIMPET_CRASH_CHECKPOINT] = "checkpoint", [LIMPET_CRASH_IMAGE] = "image",
		[LIMPET_CRASH_STOPPED] = "stopped",	  [LIMPET_CRASH_LIMIT] = "limit",
		[LIMPET_CRASH_FAILED] = "failed",	  [LIMPET_CRASH_HALTED] = "halted",
	};

	return outcome < sizeof(word) / sizeof(*word) && word[outcome] ? word[outcome] : "unknown";
}

static double seconds(const struct crash_log *log, uint64_t ticks)
{
	return (double)ticks / (double)log->ticks_per_ms / 1000;
}

static void print_text(FILE *out, const char *text)
{
	text_print_safely(out, text, strlen(text));
}

static void print_what(FILE *out, const struct limpet_crash *crash)
{
	if (crash->kind == FAULT_PAGE)
		fprintf(out, "%s address 0x%" PRIx64, fault_page_words(crash->code),
			crash->address);
	else if (crash->kind == LIMPET_FAULT_SYSCALL)
		fprintf(out, "%s %" PRIu64, fault_words(crash->kind), crash->address);
	else
		fprintf(out, "%s", fault_words(crash->kind));
}

static void print_place(FILE *out, const struct limpet_crash_place *place, const char *component,
			bool returns)
{
	char line[SOURCE_LINE];

	source_find(component, place->address, returns, line);
	fprintf(out, "0x%012" PRIx64 "  ", place->address);
	print_text(out, place->symbol[0] ? place->symbol : "?");
	if (place->symbol[0])
		fprintf(out, "+0x%x", place->offset);
	if (*line) {
		fputs("  ", out);
		print_text(out, line);
	}
	fputc('\n', out);
}

static void print_outcome(FILE *out, const struct crash_log *log, const struct limpet_crash *crash)
{
	fprintf(out, "    %s", outcome_words(crash->outcome));
	if (crash->outcome == LIMPET_CRASH_FAILED)
		fprintf(out, " with error %d", -crash->error);
	if (crash->outcome == LIMPET_CRASH_CHECKPOINT || crash->outcome == LIMPET_CRASH_IMAGE)
		fprintf(out, ", after %.1f us: restart %u, its threads %u ms later",
			seconds(log, crash->ticks) * 1e6, crash->restarts, crash->backoff_ms);
	fputc('\n', out);
}

static void print_registers(FILE *out, const struct limpet_crash *crash)
{
	if (crash->kind == LIMPET_CRASH_HEARTBEAT)
		return;
	for (unsigned int i = 0; i < LIMPET_CRASH_REGISTERS; i++)
		fprintf(out, "%s%6s %016" PRIx64 "%s", i % 3 ? " " : "    ", registers[i],
			crash->registers[i], i % 3 == 2 ? "\n" : "");
}

void crash_print_head(FILE *out, unsigned int cpu, const struct crash_log *log)
{
	fprintf(out, "CPU %u: %" PRIu64 " crashes", cpu, log->crashes);
	if (log->lost)
		fprintf(out, ", %" PRIu64 " without a record", log->lost);
	fputc('\n', out);
}

void crash_print(FILE *out, const struct crash_log *log, const struct limpet_crash *crash)
{
	fprintf(out, "\n%" PRIu64 ": ", crash->number);
	print_text(out, crash->name);
	fprintf(out,
		", %.6f s after the supervisor started: ", seconds(log, crash->time - log->begin));
	print_what(out, crash);
	if (crash->kind != LIMPET_CRASH_HEARTBEAT)
		fprintf(out, ", thread %u", crash->thread);
	fputc('\n', out);
	print_outcome(out, log, crash);
	for (uint32_t i = 0; i < crash->frames; i++) {
		fprintf(out, "    %s", i ? "called from  " : "in           ");
		print_place(out, &crash->frame[i], crash->name, i);
	}
	for (uint32_t i = 0; i < crash->callers; i++) {
		fprintf(out, "    invoked by ");
		print_text(out, crash->caller_name[i]);
		fprintf(out, "  ");
		print_place(out, &crash->caller[i], crash->caller_name[i], true);
	}
	print_registers(out, crash);
}

void crash_json_head(struct json *json, unsigned int cpu, const struct crash_log *log)
{
	json_object(json, NULL);
	json_number(json, "cpu", cpu);
	json_number(json, "count", log->crashes);
	json_number(json, "lost", log->lost);
	json_array(json, "crashes");
}

void crash_json_tail(struct json *json)
{
	json_array_end(json);
	json_object_end(json);
}

/* `caller`: the place is one of another component, which invoked this one. */
static void json_place(struct json *json, const struct limpet_crash_place *place, const char *name,
		       bool caller, bool returns)
{
	char line[SOURCE_LINE];

	source_find(name, place->address, returns, line);
	json_object(json, NULL);
	if (caller)
		json_text(json, "component", name);
	json_number(json, "address", place->address);
	json_text(json, "symbol", place->symbol[0] ? place->symbol : NULL);
	json_number(json, "offset", place->offset);
	json_text(json, "source", *line ? line : NULL);
	json_object_end(json);
}

static void json_registers(struct json *json, const struct limpet_crash *crash)
{
	json_object(json, "registers");
	for (unsigned int i = 0; i < LIMPET_CRASH_REGISTERS; i++)
		json_number(json, registers[i], crash->registers[i]);
	json_object_end(json);
}

void crash_json(struct json *json, const struct crash_log *log, const struct limpet_crash *crash)
{
	json_object(json, NULL);
	json_number(json, "number", crash->number);
	json_text(json, "component", crash->name);
	json_number(json, "time_ns", (uint64_t)(seconds(log, crash->time - log->begin) * 1e9));
	json_number(json, "kind", crash->kind);
	json_text(json, "fault",
		  crash->kind == FAULT_PAGE ? fault_page_words(crash->code)
					    : fault_words(crash->kind));
	json_number(json, "address", crash->address);
	json_number(json, "code", crash->code);
	json_number(json, "thread", crash->thread);
	json_text(json, "outcome", outcome_word(crash->outcome));
	json_number(json, "error", (uint64_t)-(int64_t)crash->error);
	json_number(json, "restarts", crash->restarts);
	json_number(json, "backoff_ms", crash->backoff_ms);
	json_number(json, "ticks", crash->ticks);
	json_registers(json, crash);
	json_array(json, "backtrace");
	for (uint32_t i = 0; i < crash->frames; i++)
		json_place(json, &crash->frame[i], crash->name, false, i);
	json_array_end(json);
	json_array(json, "callers");
	for (uint32_t i = 0; i < crash->callers; i++)
		json_place(json, &crash->caller[i], crash->caller_name[i], true, true);
	json_array_end(json);
	json_object_end(json);
}
