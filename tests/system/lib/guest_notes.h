/* SPDX-License-Identifier: GPL-2.0 */
/* Functions for programs that check which of their events exec.probe got: calls 495 to 498, as in its probe.h. */
#ifndef TEST_GUEST_NOTES_H
#define TEST_GUEST_NOTES_H

#include "guest.h"

enum {
	TREAT_PASS,
	TREAT_SERVE,
	TREAT_KILL,
	TREAT_RELEASE,
	TREAT_WAIT,
	TREAT_MOVE,
	TREAT_SPIN,
	TREAT_CHANGE
};

struct note {
	uint64_t event, time, word[6];
};

#define NOTES_MAX 2048

static struct note note[NOTES_MAX];
static long note_count, notes_from;

static inline long probe_faults(long signals)
{
	return raw(495, signals, 0, 0);
}
static inline long probe_treat(long exception, long bytes, long signal)
{
	return raw(496, exception, bytes, signal);
}
static inline long probe_noting(long on)
{
	return raw(497, on, 0, 0);
}
static inline long probe_notes(long from, struct note *to, long count)
{
	return raw(498, from, (long)to, count);
}

/* Starts to record the events of this thread. */
static inline void notes_start(void)
{
	notes_from = probe_noting(1);
	note_count = 0;
}

/* Removes notes of other guests, and of the test's own calls. */
static inline void notes_clean(long id)
{
	long kept = 0;

	for (long i = 0; i < note_count; i++) {
		const bool own = LIMPET_GUEST_KIND(note[i].event) == LIMPET_GUEST_CALL &&
				 note[i].word[0] >= 495 && note[i].word[0] <= 510;

		if ((id < 0 || LIMPET_GUEST_ID(note[i].event) == (unsigned int)id) && !own)
			note[kept++] = note[i];
	}
	note_count = kept;
}

/* Stops recording, and reads the notes into `note`. */
static inline void notes_stop(void)
{
	const long end = probe_noting(0);

	note_count = probe_notes(notes_from, note, NOTES_MAX);
	EXPECT(note_count >= 0 && note_count == end - notes_from);
	notes_clean(probe_id());
}

/* Returns the index of the first note from `from` on of this kind whose word 0 (low 8 bits) is `number`, or -1. */
static inline long note_find(long from, unsigned int kind, long number)
{
	for (long i = from; i < note_count; i++)
		if (LIMPET_GUEST_KIND(note[i].event) == kind &&
		    (number < 0 || (long)note[i].word[0] % 256 == number))
			return i;
	return -1;
}

static inline long notes_of(unsigned int kind)
{
	long count = 0;

	for (long i = 0; i < note_count; i++)
		count += LIMPET_GUEST_KIND(note[i].event) == kind;
	return count;
}

#define KIND(index) ((long)LIMPET_GUEST_KIND(note[index].event))

#endif
