// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints the system calls of guests in the form of strace -f. A line begins with Linux's id of the thread, and is
 * printed when its call has returned, so lines of several threads never mix.
 *
 * Between a call and its result a line is kept for the guest. LINES calls can be in progress at a time. Calls beyond
 * that, and lines for which the ring has no room, are dropped; a line says how many. Only one thread at a time has a
 * line: who has the number from line_of[], or took the line from the pool.
 */
#include <executive/executive.h>
#include <executive/report.h>
#include <guest/format.h>
#include <guest/numbers.h>
#include <runtime/format.h>
#include <runtime/print.h>

#define LINES 128
#define TEXT 2048 /* of a line */
#define END 4	  /* room for "...\n" */

struct line {
	uint32_t taken;
	uint32_t prefix; /* length of the id at the beginning of `text` */
	struct guest_line guest;
	char text[TEXT];
};

static struct line lines[LINES];
static uint32_t line_of[LIMPET_GUESTS_MAX]; /* 1 + index of the line of the call in progress, or 0 */
static uint32_t thread_of[LIMPET_GUESTS_MAX]; /* Linux's id */
static bool ends;

static struct line *line_take(void)
{
	for (struct line *line = lines; line < lines + LINES; line++)
		if (!__atomic_exchange_n(&line->taken, 1, __ATOMIC_ACQUIRE))
			return line;
	return NULL;
}

static void line_free(struct line *line)
{
	__atomic_store_n(&line->taken, 0, __ATOMIC_RELEASE);
}

/* Replaces the line of a guest. Returns the old one, or NULL. */
static struct line *line_exchange(unsigned int id, struct line *line)
{
	uint32_t number = line ? (uint32_t)(line - lines) + 1 : 0;
	uint32_t old = __atomic_exchange_n(&line_of[id], number, __ATOMIC_ACQ_REL);

	return old ? &lines[old - 1] : NULL;
}

static long memory_copy(void *context, void *to, word address, word size)
{
	(void)context;
	return executive_read(to, address, size);
}

/* Ends the text with a newline. guest_line_...() was told of less room, so the end fits. */
static void line_report(struct line *line)
{
	size_t length = line->prefix + line->guest.text.length;

	length += limpet_format(line->text + length, TEXT - length, "%s",
				line->guest.text.cut ? "...\n" : "\n");
	report_line(line->text, length);
}

static struct executive_answer call_begin(unsigned int id, word number, word w1, word w2, word w3,
					  word w4, word w5)
{
	const struct guest_memory memory = { memory_copy, NULL };
	const struct guest_call *call = guest_call_at((long)number);
	bool all = !call || !call->implemented || call->count == GUEST_ARGUMENTS;
	word arguments[] = { w1, w2, w3, w4, w5, all ? executive_register(LIMPET_GUEST_R9) : 0 };
	struct line *line = line_take();

	if (!line) {
		report_drop();
		return executive_passed();
	}
	line->prefix = (uint32_t)limpet_format(line->text, TEXT, "%u ", thread_of[id]);
	guest_line_begin(&line->guest, line->text + line->prefix, TEXT - END - line->prefix,
			 &memory, (long)number, arguments);
	line = line_exchange(id, line);
	if (line)
		line_free(line);
	return executive_passed_result();
}

/* Returns the result as Linux has it inside, for the text: a call that starts again has a code of its own. */
static long result_of(word number, word result, word interrupted)
{
	if (!interrupted)
		return (long)result;
	if (number == GUEST_CALL_nanosleep || number == GUEST_CALL_clock_nanosleep ||
	    number == GUEST_CALL_poll)
		return -GUEST_ERESTART_RESTARTBLOCK;
	return -GUEST_ERESTARTSYS;
}

static void call_end(unsigned int id, word number, word result, word interrupted)
{
	struct line *line = line_exchange(id, NULL);

	if (!line)
		return;
	guest_line_end(&line->guest, result_of(number, result, interrupted));
	line_report(line);
	line_free(line);
}

/* The call in progress, as exit_group(), does not return. */
static void call_lose(unsigned int id)
{
	struct line *line = line_exchange(id, NULL);

	if (!line)
		return;
	guest_line_lost(&line->guest);
	line_report(line);
	line_free(line);
}

static void end_report(unsigned int id, word status)
{
	char text[64];
	unsigned int signal = status & 0x7f;
	size_t length = limpet_format(
		text, sizeof(text),
		signal ? "%u +++ killed by signal %u +++\n" : "%u +++ exited with %u +++\n",
		thread_of[id], signal ? signal : (uint32_t)(status >> 8 & 0xff));

	if (ends)
		report_line(text, length);
}

struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	unsigned int id = LIMPET_GUEST_ID(event), kind = LIMPET_GUEST_KIND(event);

	if (unlikely(id >= LIMPET_GUESTS_MAX))
		return executive_passed();
	if (kind == LIMPET_GUEST_CALL)
		return call_begin(id, w0, w1, w2, w3, w4, w5);
	if (kind == LIMPET_GUEST_RESULT) {
		call_end(id, w0, w1, w2);
	} else if (kind == LIMPET_GUEST_BEGIN) {
		call_lose(id);
		thread_of[id] = (uint32_t)w0;
	} else if (kind == LIMPET_GUEST_END) {
		call_lose(id);
		end_report(id, w2);
	}
	return executive_passed();
}

void component_main(const struct limpet_info *info)
{
	long threads;

	ends = limpet_arg_within(info, "ends", 1, 0, 1);
	report_init((void *)info->heap, info->heap_size);
	threads = executive_serve(LIMPET_GUEST_WANTS(LIMPET_GUEST_RESULT) |
				  LIMPET_GUEST_WANTS(LIMPET_GUEST_BEGIN) |
				  LIMPET_GUEST_WANTS(LIMPET_GUEST_END));
	if (threads < 0) {
		limpet_print("cannot serve guests: %s\n", limpet_error_text(threads));
		return;
	}
	limpet_print("traces guests, with %ld threads\n", threads);
	for (;;)
		report_serve(LIMPET_NEVER);
}
