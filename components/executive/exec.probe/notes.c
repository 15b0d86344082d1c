// SPDX-License-Identifier: BSD-2-Clause
/*
 * Serves the calls by which a guest records its own events and sets the answers to its signals and exceptions. The
 * notes of all guests are in one list, in the order of the events. The list keeps the last NOTES of them.
 */
#include "probe.h"

#include <executive/linux.h>
#include <runtime/time.h>

#define NOTES 2048 /* a power of two */

static struct note notes[NOTES];
static word noted; /* number of notes so far */
static uint8_t noting[LIMPET_GUESTS_MAX];
static uint8_t exceptions[LIMPET_GUESTS_MAX], signals[LIMPET_GUESTS_MAX]; /* enum treatment */
static uint8_t skip[LIMPET_GUESTS_MAX];

void notes_begin(unsigned int id)
{
	noting[id] = exceptions[id] = signals[id] = skip[id] = 0;
}

void note_event(word event, const word *words)
{
	struct note *note;

	if (!noting[LIMPET_GUEST_ID(event)])
		return;
	note = &notes[__atomic_fetch_add(&noted, 1, __ATOMIC_RELAXED) % NOTES];
	note->event = event;
	note->time = limpet_time();
	for (unsigned int i = 0; i < 6; i++)
		note->words[i] = words[i];
}

static long notes_copy(word from, word address, word count)
{
	word i;

	for (i = 0; i < count && from + i < noted; i++)
		if (executive_write(address + i * sizeof(struct note), &notes[(from + i) % NOTES],
				    sizeof(struct note)) < 0)
			return -LINUX_EFAULT;
	return (long)i;
}

/*
 * Changes the registers so that the guest would continue behind the instruction, with another rax. Returns false if the
 * kernel refuses the change: the new address is invalid, or the guest is being killed.
 */
static bool registers_change(unsigned int id)
{
	const word ip = executive_register(LIMPET_GUEST_RIP);

	return executive_register_set(LIMPET_GUEST_RAX, PROBE_VALUE) == LIMPET_OK &&
	       executive_register_set(LIMPET_GUEST_RIP, ip + skip[id]) == LIMPET_OK;
}

static struct executive_answer treat(unsigned int id, enum treatment treatment)
{
	switch (treatment) {
	case TREAT_SERVE:
		return registers_change(id) ? executive_served(0) : executive_passed();
	case TREAT_KILL:
		return executive_killed(LINUX_SIGKILL);
	case TREAT_RELEASE:
		return (struct executive_answer){ LIMPET_GUEST_RELEASE, 0 };
	case TREAT_WAIT:
		executive_wait(limpet_time() + limpet_info()->ticks_per_ms, 0);
		break;
	case TREAT_MOVE:
		line_print();
		break;
	case TREAT_SPIN:
		for (;;)
			__builtin_ia32_pause();
	case TREAT_CHANGE:
		registers_change(id);
		break;
	default:
		break;
	}
	return executive_passed();
}

struct executive_answer signal_answer(unsigned int id)
{
	counter_add(COUNT_SIGNALS);
	return treat(id, (enum treatment)signals[id]);
}

struct executive_answer exception_answer(unsigned int id)
{
	counter_add(COUNT_EXCEPTIONS);
	return treat(id, (enum treatment)exceptions[id]);
}

static long treatment_set(unsigned int id, word exception, word bytes, word signal)
{
	if (exception >= TREATMENTS || signal >= TREATMENTS || bytes > 15)
		return -LINUX_EINVAL;
	exceptions[id] = (uint8_t)exception;
	skip[id] = (uint8_t)bytes;
	signals[id] = (uint8_t)signal;
	return 0;
}

long notes_call(unsigned int id, word number, word w1, word w2, word w3)
{
	switch (number) {
	case -4ul:
		return executive_faults(w1);
	case -3ul:
		return treatment_set(id, w1, w2, w3);
	case -2ul:
		noting[id] = w1 != 0;
		return (long)noted;
	default:
		return notes_copy(w1, w2, w3);
	}
}
