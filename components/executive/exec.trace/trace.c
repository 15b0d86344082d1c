// SPDX-License-Identifier: BSD-2-Clause
/*
 * Prints the system calls and signals of guests in the form of strace -f, and the exceptions that --faults requests. A
 * line begins with Linux's id of the thread. It is printed when its call has returned, so lines of several threads
 * never mix. A call is dropped if all lines are in use or the ring has no space. Another line then reports the number
 * of dropped calls.
 */
#include "line.h"

#include <executive/report.h>
#include <executive/start.h>
#include <guest/numbers.h>
#include <runtime/component.h>
#include <runtime/format.h>

static uint32_t thread_of[LIMPET_GUESTS_MAX]; /* Linux's id */
static bool ends;

static void call_end(unsigned int id, long result)
{
	struct line *line = line_exchange(id, NULL);

	if (!line)
		return;
	guest_line_end(&line->guest, result);
	line_report(line);
}

/* Prints a call without a result, such as exit_group() or rt_sigreturn(). */
static void call_lose(unsigned int id)
{
	struct line *line = line_exchange(id, NULL);

	if (!line)
		return;
	guest_line_lost(&line->guest);
	line_report(line);
}

static struct executive_answer call_begin(unsigned int id, word number, const word *arguments)
{
	struct line *line;

	call_lose(id);
	line = line_take();
	if (!line) {
		report_drop();
		return executive_passed();
	}
	line_begin(line, thread_of[id], number, arguments);
	line = line_exchange(id, line);
	if (line)
		line_free(line);
	return executive_passed_result();
}

/* Returns the sixth argument, which is not in the event, or 0 if the call has fewer arguments. */
static word sixth(word number)
{
	const struct guest_call *call = guest_call_at((long)number);

	if (call && call->implemented && call->count < GUEST_ARGUMENTS)
		return 0;
	return executive_register(LIMPET_GUEST_R9);
}

/* Returns Linux's internal result. Calls that Linux restarts have a code of their own. */
static long result_of(word number, word result, word interrupted)
{
	if (!interrupted)
		return (long)result;
	if (number == GUEST_CALL_nanosleep || number == GUEST_CALL_clock_nanosleep ||
	    number == GUEST_CALL_poll)
		return -GUEST_ERESTART_RESTARTBLOCK;
	return -GUEST_ERESTARTSYS;
}

#define SIGNAL_TEXT 400 /* longer than any line of a signal */

/* `code` and `fields` are words 1 to 5 of SIGNAL. */
static void signal_report(unsigned int id, unsigned int number, word code, const word fields[4])
{
	struct guest_signal signal = { number,
				       LIMPET_GUEST_SIGNAL_CODE(code),
				       LIMPET_GUEST_SIGNAL_ERROR(code),
				       { fields[0], fields[1], fields[2], fields[3] } };
	char text[SIGNAL_TEXT];
	size_t length = limpet_format(text, sizeof(text), "%u ", thread_of[id]);
	struct guest_line line;

	guest_line_signal(&line, text + length, sizeof(text) - length - 1, &signal);
	length += line.text.length;
	text[length++] = '\n';
	report_line(text, length);
}

static void end_report(unsigned int id, word status)
{
	char text[64];
	uint32_t signal = status & 0x7f, code = status >> 8 & 0xff;
	struct text line = text_in(text, sizeof(text));

	text_add(&line, "%u +++ ", thread_of[id]);
	if (signal) {
		text_add(&line, "killed by ");
		guest_signal_name(&line, signal);
		text_add(&line, "%s +++\n", status & 0x80 ? " (core dumped)" : "");
	} else {
		text_add(&line, "exited with %u +++\n", code);
	}
	report_line(text, line.length);
}

/* Prints an exception with the instruction's address, before its signal. */
static void exception_report(unsigned int id, unsigned int signal, word address, word vector,
			     word error)
{
	char text[160];
	struct text line = text_in(text, sizeof(text));

	text_add(&line,
		 "%u --- exception %lu, error code %lu, at 0x%lx, address 0x%lx: ", thread_of[id],
		 vector, error, executive_register(LIMPET_GUEST_RIP), address);
	guest_signal_name(&line, signal);
	text_add(&line, " ---\n");
	report_line(text, line.length);
}

static void signal_event(unsigned int kind, unsigned int id, const word *w)
{
	call_lose(id);
	if (kind == LIMPET_GUEST_EXCEPTION)
		exception_report(id, (unsigned int)w[0], w[2], w[3], w[4]);
	else
		signal_report(id, LIMPET_GUEST_SIGNAL_NUMBER(w[0]), w[1], w + 2);
}

/* Prints the end of a guest. END contains Linux's information about the signal, if Linux has it. */
static void end_event(unsigned int id, const word *w)
{
	if (w[2] & 0x7f && (w[3] | w[4] | w[5]))
		signal_report(id, w[2] & 0x7f, w[3], (const word[]){ w[4], w[5], 0, 0 });
	end_report(id, w[2]);
}

static void other_event(unsigned int kind, unsigned int id, const word *w)
{
	if (kind == LIMPET_GUEST_RESULT)
		call_end(id, result_of(w[0], w[1], w[2]));
	else if (kind == LIMPET_GUEST_EXEC)
		call_end(id, 0); /* execve() has succeeded, and does not return */
	else
		call_lose(id);
	if (kind == LIMPET_GUEST_BEGIN)
		thread_of[id] = (uint32_t)w[0];
	if (kind == LIMPET_GUEST_END && ends)
		end_event(id, w);
}

struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	unsigned int id = LIMPET_GUEST_ID(event), kind = LIMPET_GUEST_KIND(event);

	if (unlikely(id >= LIMPET_GUESTS_MAX))
		return executive_passed();
	if (kind == LIMPET_GUEST_CALL)
		return call_begin(id, w0, (const word[]){ w1, w2, w3, w4, w5, sixth(w0) });
	if (kind == LIMPET_GUEST_SIGNAL || kind == LIMPET_GUEST_EXCEPTION)
		signal_event(kind, id, (const word[]){ w0, w1, w2, w3, w4, w5 });
	else
		other_event(kind, id, (const word[]){ w0, w1, w2, w3, w4, w5 });
	return executive_passed();
}

void component_main(const struct limpet_info *info)
{
	ends = limpet_arg_within(info, "ends", 1, 0, 1);
	report_init((void *)info->heap, info->heap_size);
	if (!executive_start(LIMPET_GUEST_WANTS(LIMPET_GUEST_RESULT) |
			     LIMPET_GUEST_WANTS(LIMPET_GUEST_BEGIN) |
			     LIMPET_GUEST_WANTS(LIMPET_GUEST_EXEC) |
			     LIMPET_GUEST_WANTS(LIMPET_GUEST_SIGNAL) |
			     LIMPET_GUEST_WANTS(LIMPET_GUEST_EXCEPTION) |
			     LIMPET_GUEST_WANTS(LIMPET_GUEST_END)))
		return;
	for (;;)
		report_serve(LIMPET_NEVER);
}
