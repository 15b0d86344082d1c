// SPDX-License-Identifier: BSD-2-Clause
/*
 * The console. Each thread that has started a line collects it in a line buffer of its own, so
 * threads need no lock. A thread that brings the text of another caller first ends its line. The
 * console never waits. If the ring is full, a line is dropped and counted. If LINES threads have
 * started a line, the text of other threads is dropped and counted.
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
	uint32_t taken; /* used by a thread until the end of its line */
	word caller;
	size_t length;
	char prefix[PREFIX]; /* filled from its end, so that it adjoins the text */
	char text[TEXT + 1]; /* text and a newline */
};

_Static_assert(offsetof(struct line, text) == offsetof(struct line, prefix) + PREFIX, "adjoins");

static struct line lines[LINES];
static uint8_t line_of
	[LIMPET_THREADS_MAX]; /* 1 + the index of the thread's line, or 0; written only by that thread */
static uint64_t lost;	      /* bytes that were dropped for lack of a line buffer */

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

/* Returns the thread's line, or a free one. Returns NULL if other threads use all lines. */
static struct line *line_take(unsigned int thread)
{
	if (line_of[thread])
		return &lines[line_of[thread] - 1];
	for (unsigned int i = 0; i < LINES; i++)
		if (!__atomic_exchange_n(&lines[i].taken, 1, __ATOMIC_ACQUIRE)) {
			line_of[thread] = (uint8_t)(i + 1);
			return &lines[i];
		}
	return NULL;
}

static void line_give(unsigned int thread, struct line *line)
{
	line_of[thread] = 0;
	__atomic_store_n(&line->taken, 0, __ATOMIC_RELEASE);
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
	if (!line->length)
		line_give(thread, line);
	return (long)((sink_dropped() + lost) & INT64_MAX);
}

long component_init(const struct limpet_info *info)
{
	return sink_init(info);
}
