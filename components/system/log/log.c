// SPDX-License-Identifier: BSD-2-Clause
/*
 * The console. A line is collected for each thread that has begun one, so threads need no lock; a thread that
 * brings another caller's text ends the line that it had begun. Nothing here waits: when the ring is full
 * a line is dropped and counted; when LINES threads have begun one, the text of others is.
 */
#include <runtime/component.h>
#include <runtime/format.h>
#include <runtime/memory.h>

#include <export/log.h>

#include "sink.h"

#define CALLERS (LIMPET_COMPONENTS_MAX + 1) /* badges are 1 + index in the image */
#define TEXT 4000
#define LINES 64
#define PREFIX (LIMPET_NAME_MAX + 2) /* "name: " */

struct line {
	uint32_t taken; /* by a thread, until it ends its line */
	word caller;
	size_t length;
	char prefix[PREFIX]; /* filled from its end, so that it adjoins the text */
	char text[TEXT + 1]; /* and a newline */
};

_Static_assert(offsetof(struct line, text) == offsetof(struct line, prefix) + PREFIX, "adjoins");

static char names[CALLERS][LIMPET_NAME_MAX];
static struct line lines[LINES];
static uint8_t line_of
	[LIMPET_THREADS_MAX]; /* by thread, written only by that thread: 1 + the index of its line, or 0 */
static uint64_t lost;	      /* bytes for which there was no line */

static bool name_valid(const char name[LIMPET_NAME_MAX])
{
	size_t length = 0;

	for (; length < LIMPET_NAME_MAX - 1 && name[length]; length++) {
		char c = name[length], lower = c | 0x20;

		if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9') && c != '.' &&
		    c != '_' && c != '-')
			return false;
	}
	return length && !name[length];
}

static bool name_taken(const char *name)
{
	for (unsigned int i = 0; i < CALLERS; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

long log_serve_open(word badge, word name0, word name1, word name2, word name3)
{
	const word name[] = { name0, name1, name2, name3 };

	if (!name_valid((const char *)name))
		return LIMPET_ERANGE;
	if (badge >= CALLERS || names[badge][0])
		return LIMPET_ESTATE;
	if (name_taken((const char *)name))
		return LIMPET_EBUSY;
	memcpy(names[badge], name, sizeof(name));
	return LIMPET_OK;
}

/* Writes "name: " before the line's text; returns where it begins. */
static char *prefix_write(struct line *line)
{
	char name[LIMPET_NAME_MAX];
	size_t length;

	if (line->caller < CALLERS && names[line->caller][0])
		memcpy(name, names[line->caller], sizeof(name));
	else
		limpet_format(name, sizeof(name), "%lu", line->caller);
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
