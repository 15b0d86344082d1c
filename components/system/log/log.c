// SPDX-License-Identifier: BSD-2-Clause
/*
 * The console. Each thread that has started a line collects it in a line buffer of its own, so
 * threads need no lock. A thread that brings the text of another caller first ends its line. The
 * console never waits. If the ring is full, a line is dropped and counted. If LINES threads have
 * started a line, a thread that needs one ends the line to which no text was added for the longest
 * time. Text is dropped and counted only if LINES threads are inside this component.
 */
#include <runtime/component.h>
#include <runtime/format.h>
#include <runtime/memory.h>

#include <export/log.h>

#include "sink.h"

#define TEXT 4000
#define LINES 64
#define PREFIX (LIMPET_NAME_MAX + 2) /* "name: " */

struct line {
	uint32_t owner; /* 0: free. Otherwise OWNER() of the thread that has started a line, with BUSY while it adds text */
	uint64_t turn; /* number of the last call that added text */
	word caller;
	size_t length;
	char prefix[PREFIX]; /* filled from its end, so that it adjoins the text */
	char text[TEXT + 1]; /* text and a newline */
};

_Static_assert(offsetof(struct line, text) == offsetof(struct line, prefix) + PREFIX, "adjoins");

#define OWNER(thread) (2 * ((thread) + 1))
#define BUSY 1u /* the owner is adding text, so no other thread may use the line */

static struct line lines[LINES];
/* Index of the line that the thread has used or tried last. Written only by that thread. */
static uint8_t line_of[LIMPET_THREADS_MAX];
static uint64_t turns;
static uint64_t lost; /* bytes that were dropped for lack of a line buffer */

/*
 * Writes "name: " before the line's text. Returns the start of the name. The badge of the caller's gate is 1 + its
 * index in the image, so a component cannot choose the name under which its lines appear.
 */
static char *prefix_write(struct line *line)
{
	const struct limpet_info *info = limpet_info();
	word index = line->caller - 1;
	char number[24];
	const char *name = number;
	size_t length;

	if (info->name_of && index < info->components && info->name_of[index][0])
		name = info->name_of[index];
	else
		limpet_format(number, sizeof(number), "%lu", line->caller);
	length = strlen(name);
	memcpy(line->text - 2, ": ", 2);
	memcpy(line->text - 2 - length, name, length);
	return line->text - 2 - length;
}

static void line_end(struct line *line)
{
	char *start = prefix_write(line);
	char *end = line->text + line->length;

	*end++ = '\n';
	sink_write(start, (uint64_t)(end - start));
	line->length = 0;
}

static void line_add(struct line *line, unsigned char c)
{
	if (c == '\n') {
		line_end(line);
		return;
	}
	if (!c)
		return;
	if (line->length == TEXT)
		line_end(line);
	line->text[line->length++] = (char)(c < ' ' || c == 0x7f ? '.' : c);
}

/* Makes the thread the owner of the line, with BUSY. Returns false if the line's owner is not `owner`. */
static bool line_lock(struct line *line, uint32_t owner, unsigned int thread)
{
	line_of[thread] = (uint8_t)(line - lines);
	return __atomic_compare_exchange_n(&line->owner, &owner, OWNER(thread) | BUSY, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static struct line *line_free(unsigned int thread)
{
	for (unsigned int i = 0; i < LINES; i++)
		if (line_lock(&lines[i], 0, thread))
			return &lines[i];
	return NULL;
}

/* Returns the line that has waited longest for text, and its owner, or NULL if all lines are busy. */
static struct line *line_oldest(uint32_t *owner)
{
	struct line *oldest = NULL;

	for (struct line *line = lines; line < lines + LINES; line++) {
		const uint32_t now = __atomic_load_n(&line->owner, __ATOMIC_RELAXED);

		if (now & BUSY || (oldest && line->turn > oldest->turn))
			continue;
		oldest = line;
		*owner = now;
	}
	return oldest;
}

/* Ends the line of another thread, which starts a new one with its next text. */
static struct line *line_end_oldest(unsigned int thread)
{
	uint32_t owner;
	struct line *line;

	do {
		line = line_oldest(&owner);
		if (!line)
			return NULL;
	} while (!line_lock(line, owner, thread));
	if (line->length)
		line_end(line);
	return line;
}

/*
 * Returns the thread's own line, or a free line, or the line that has waited longest for text. Returns NULL if all lines
 * are busy. The thread's own line is busy if the thread was stopped in an earlier call.
 */
static struct line *line_take(unsigned int thread)
{
	struct line *line = &lines[line_of[thread]];

	if (line_lock(line, OWNER(thread), thread) || line_lock(line, OWNER(thread) | BUSY, thread))
		return line;
	line = line_free(thread);
	return line ? line : line_end_oldest(thread);
}

/* Clears BUSY. The thread remains the owner if the line has text. */
static void line_give(struct line *line, unsigned int thread)
{
	line->turn = __atomic_add_fetch(&turns, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&line->owner, line->length ? OWNER(thread) : 0, __ATOMIC_RELEASE);
}

long log_serve_write(word badge, word text0, word text1, word text2, word text3, word text4,
		     word text5)
{
	const word text[] = { text0, text1, text2, text3, text4, text5 };
	const unsigned int thread = limpet_thread_id() % LIMPET_THREADS_MAX;
	struct line *line = line_take(thread);

	if (!line) {
		__atomic_fetch_add(&lost, sizeof(text), __ATOMIC_RELAXED);
		return (long)((sink_dropped() + lost) & INT64_MAX);
	}
	if (line->length && line->caller != badge)
		line_end(line);
	line->caller = badge;
	for (unsigned int i = 0; i < sizeof(text); i++)
		line_add(line, ((const unsigned char *)text)[i]);
	line_give(line, thread);
	return (long)((sink_dropped() + lost) & INT64_MAX);
}

long component_init(const struct limpet_info *info)
{
	return sink_init(info);
}
