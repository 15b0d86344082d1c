// SPDX-License-Identifier: GPL-2.0
/* All memory of the kernel, to see that a refused call has changed nothing. */
#include <stdlib.h>

#include "guests.h"

struct snapshot {
	struct cpu cpu[CPUS];
	struct guest guests[GUESTS];
	u16 *state;
	u8 *objects; /* contents of all objects, and page tables' pages, one behind the other */
	size_t size;
};

static u8 *cursor; /* in `objects` */
static bool same;

static void page_count(void *page)
{
	(void)page;
	cursor += LIMPET_PAGE;
}

static void page_copy(void *page)
{
	memcpy(cursor, page, LIMPET_PAGE);
	cursor += LIMPET_PAGE;
}

static void page_compare(void *page)
{
	same &= !memcmp(cursor, page, LIMPET_PAGE);
	cursor += LIMPET_PAGE;
}

static size_t objects_size(void)
{
	cursor = NULL;
	for (unsigned int i = 0; i < registry_count; i++) {
		cursor += registry[i].bytes;
		pages_each(&registry[i], page_count);
	}
	return (size_t)cursor;
}

struct snapshot *snapshot_take(void)
{
	struct snapshot *s = malloc(sizeof(*s));

	assert_non_null(s);
	for (unsigned int n = 0; n < machine.cpus; n++)
		s->cpu[n] = *machine.all[n];
	memcpy(s->guests, guests_all, sizeof(guests_all));
	s->state = malloc(machine.pool->frames * sizeof(u16));
	memcpy(s->state, machine.pool->state, machine.pool->frames * sizeof(u16));
	s->size = objects_size();
	s->objects = malloc(s->size);
	cursor = s->objects;
	for (unsigned int i = 0; i < registry_count; i++) {
		memcpy(cursor, registry[i].object, registry[i].bytes);
		cursor += registry[i].bytes;
		pages_each(&registry[i], page_copy);
	}
	return s;
}

/* An empty slot may remember its table. */
static bool table_same(const struct table *a, const struct table *b)
{
	if (memcmp(&a->object, &b->object, sizeof(a->object)) || a->slots != b->slots)
		return false;
	for (u32 i = 0; i < a->slots; i++)
		if ((a->slot[i].type || b->slot[i].type) &&
		    memcmp(&a->slot[i], &b->slot[i], sizeof(a->slot[i])))
			return false;
	return true;
}

/* The caller's registers have the status. Its epoch is read again at each entry. */
static bool thread_same(const struct thread *a, const struct thread *b, bool caller)
{
	static struct thread x, y;

	x = *a;
	y = *b;
	if (caller) {
		x.regs = y.regs;
		x.epoch = y.epoch;
	}
	return !memcmp(&x, &y, sizeof(x));
}

static bool object_same(const struct entry *e, const void *before, const struct thread *caller)
{
	if (e->type == LIMPET_TABLE)
		return table_same(before, (const struct table *)e->object);
	if (e->type == LIMPET_THREAD)
		return thread_same(before, (const struct thread *)e->object,
				   (const void *)e->object == caller);
	return !memcmp(before, e->object, e->bytes);
}

static bool cpu_same(struct cpu *before, const struct cpu *now)
{
	before->calls = now->calls;
	before->ret = now->ret;
	before->caller = now->caller;
	before->budget = now->budget;
	return !memcmp(before, now, sizeof(*before));
}

static const char *compare(struct snapshot *s, const struct thread *caller)
{
	for (unsigned int n = 0; n < machine.cpus; n++)
		if (!cpu_same(&s->cpu[n], machine.all[n]))
			return "struct cpu";
	if (memcmp(s->state, machine.pool->state, machine.pool->frames * sizeof(u16)))
		return "the frames' state";
	if (memcmp(s->guests, guests_all, sizeof(guests_all)))
		return "a guest";
	same = s->size == objects_size();
	cursor = s->objects;
	for (unsigned int i = 0; i < registry_count && same; i++) {
		same = object_same(&registry[i], cursor, caller);
		cursor += registry[i].bytes;
		pages_each(&registry[i], page_compare);
	}
	return same ? NULL : "an object";
}

const char *snapshot_compare(struct snapshot *before, const struct thread *caller)
{
	const char *what = compare(before, caller);

	free(before->state);
	free(before->objects);
	free(before);
	return what;
}
