// SPDX-License-Identifier: BSD-2-Clause
/* Checks that a component finds exactly the objects that the image describes, with a count of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <limpet/ring.h>
#include <runtime/component.h>

#include "booter_check.h"

static void check_segment(const struct fake_object *c, const struct limpet_image_segment *s)
{
	for (word at = 0; at < s->size; at++) {
		word rights;
		const char *byte = fake_byte(c, s->address + at, &rights);

		if (!byte || rights != s->rights)
			fail_msg("byte %#lx is not mapped as it should", s->address + at);
		if (*byte != (at < s->file_size ? image[s->at + at] : 0))
			fail_msg("byte %#lx is wrong", s->address + at);
		if (at % 512 == 8)
			at += 500; /* a part of each block is sufficient */
	}
}

/* Returns whether a stack is mapped. It must be mapped as a whole, except its lowest page, or not at all. */
static bool stack_there(const struct fake_object *c, const struct limpet_image_component *record,
			word id)
{
	word pages = (1ul << record->stack_shift) / LIMPET_PAGE, rights;
	word lowest = record->stacks + (id << record->stack_shift);
	bool there = fake_byte(c, lowest + LIMPET_PAGE, &rights);

	assert_null(fake_byte(c, lowest, &rights));
	for (word i = 1; i < pages; i++) {
		const char *byte = fake_byte(c, lowest + i * LIMPET_PAGE, &rights);

		assert_int_equal(byte != NULL, there);
		if (!there)
			continue;
		assert_int_equal(rights, LIMPET_READ | LIMPET_WRITE);
		assert_int_equal(*byte, 0);
	}
	return there;
}

/* Returns whether a thread of one component can reach another one by the image's wires and fault handlers. */
static bool comes_to(uint32_t from, uint32_t to, unsigned int depth)
{
	const struct limpet_image_wire *wire =
		(const struct limpet_image_wire *)(image + header()->wires_at) +
		record_of(from)->wire;

	if (from == to)
		return true;
	for (uint32_t i = 0; i < record_of(from)->wires && depth; i++)
		if (comes_to(wire[i].server, to, depth - 1))
			return true;
	return record_of(from)->faults && depth && comes_to(record_of(from)->faults, to, depth - 1);
}

/*
 * Threads that can reach the component have an entry stack. The pool has stacks for them and for the component's own
 * threads, each with a guard page below.
 */
static void check_stack_pool(const struct fake_object *c,
			     const struct limpet_image_component *record)
{
	const word size = 1ul << record->pool_shift, entry = 1ul << LIMPET_ENTRY_SHIFT;
	const word count = record->pool_count + !!record->priority + record->threads;
	word rights;

	for (unsigned int id = 0; id <= booter.threads; id++) {
		bool spare;

		if (!id || comes_to(owner_of(id, &spare), (uint32_t)c->index, 4))
			assert_non_null(fake_byte(c, record->stacks + id * entry, &rights));
	}
	for (word i = 0; i < count; i++) {
		assert_null(fake_byte(c, record->pool + i * size, &rights));
		assert_non_null(fake_byte(c, record->pool + i * size + LIMPET_PAGE, &rights));
		assert_int_equal(rights, LIMPET_READ | LIMPET_WRITE);
		assert_non_null(fake_byte(c, record->pool + (i + 1) * size - 1, &rights));
	}
	assert_null(fake_byte(c, record->pool + count * size + LIMPET_PAGE, &rights));
}

/*
 * Threads that can reach the component have a stack. Others have one only for a supervisor's restarts. The booter's
 * thread keeps its stack only if no thread can reach the component.
 */
static void check_stacks(const struct fake_object *c, const struct limpet_image_component *record)
{
	bool any = false;
	word rights;

	assert_int_equal(c->stacks, record->stacks);
	assert_int_equal(c->stack_shift, record->stack_shift);
	if (record->pool_count) {
		check_stack_pool(c, record);
		return;
	}
	for (unsigned int id = 1; id <= booter.threads; id++) {
		bool spare, there = stack_there(c, record, id);
		bool comes = comes_to(owner_of(id, &spare), (uint32_t)c->index, 4);

		any |= there;
		if (comes || !booter.supervisor)
			assert_int_equal(there, comes);
	}
	assert_int_equal(stack_there(c, record, 0), !any);
	assert_null(fake_byte(c, record->stacks + ((booter.threads + 1ul) << record->stack_shift),
			      &rights));
}

/* Returns the component that owns a thread, counted independently from the image, or 0. */
uint32_t owner_of(unsigned int id, bool *spare)
{
	unsigned int next = 1;

	for (uint32_t i = 1; i < header()->components; i++) {
		const struct limpet_image_component *record = record_of(i);

		if (!part_at(i))
			continue;
		*spare = !record->priority || id > next;
		if (id >= next && id < next + !!record->priority + record->threads)
			return i;
		next += !!record->priority + record->threads;
	}
	return 0;
}

const struct limpet_info *check_info(const struct fake_object *c,
				     const struct limpet_image_component *record)
{
	word rights;
	const struct limpet_info *info = (const void *)fake_byte(c, record->info, &rights);
	const struct limpet_info_thread *threads;

	assert_non_null(info);
	assert_int_equal(rights, LIMPET_READ);
	assert_int_equal(info->magic, LIMPET_INFO_MAGIC);
	assert_int_equal(info->index, c->index);
	assert_int_equal(info->priority, record->priority);
	assert_int_equal(info->args, record->args);
	assert_int_equal(info->version, LIMPET_INFO_VERSION);
	threads = (const void *)fake_byte(c, (word)info->thread_of, &rights);
	assert_int_equal(rights, LIMPET_READ);
	assert_int_equal(info->threads, booter.threads);
	for (unsigned int id = 1; id <= booter.threads; id++) {
		bool spare;
		uint32_t owner = owner_of(id, &spare);

		assert_int_equal(threads[id].component, owner);
		assert_int_equal(threads[id].priority, record_of(owner)->priority);
		assert_int_equal(threads[id].scheduler, record_of(owner)->scheduler);
		assert_int_equal(threads[id].flags, spare ? LIMPET_THREAD_SPARE : 0);
	}
	assert_string_equal(info->name, image + header()->strings_at + record->name);
	return info;
}

static void check_wires(const struct fake_object *c, const struct limpet_image_component *record)
{
	const struct limpet_image_wire *wire =
		(const struct limpet_image_wire *)(image + header()->wires_at) + record->wire;
	const struct fake_object *table = &boot.object[c->table];
	unsigned int gates = 0;

	for (uint32_t i = 0; i < record->wires; i++) {
		const struct fake_capability *gate = &table->slot[wire[i].slot];

		assert_int_equal(gate->type, LIMPET_GATE);
		assert_int_equal(gate->entry, wire[i].entry);
		assert_int_equal(gate->badge, c->index + 1);
		assert_int_equal(boot.object[gate->object].index, wire[i].server);
	}
	for (unsigned int i = 0; i < table->slots; i++)
		gates += table->slot[i].type == LIMPET_GATE;
	assert_int_equal(gates, record->wires);
}

bool has(const struct fake_object *c, unsigned int slot)
{
	const struct fake_object *table = &boot.object[c->table];

	return slot < table->slots && table->slot[slot].type;
}

bool is_root(const struct limpet_image_component *record)
{
	return record->flags & LIMPET_COMPONENT_SCHEDULER && !record->scheduler;
}

static bool supervises(uint32_t index, uint32_t other)
{
	return part_at(other) && record_of(other)->supervisor == index;
}

/* Returns whether a component imports an interface of a component that must know its clients. */
static bool looked_at_by(uint32_t other, uint32_t index)
{
	const struct limpet_image_wire *wire =
		(const struct limpet_image_wire *)(image + header()->wires_at) +
		record_of(other)->wire;

	if (!part_at(other) || !(record_of(index)->flags & LIMPET_COMPONENT_CLIENTS))
		return false;
	for (uint32_t i = 0; i < record_of(other)->wires; i++)
		if (wire[i].server == index)
			return true;
	return false;
}

/* Returns whether a scheduler schedules a component directly, or through other schedulers. */
static bool scheduled_by(uint32_t index, uint32_t scheduler)
{
	for (index = record_of(index)->scheduler; index; index = record_of(index)->scheduler)
		if (index == scheduler)
			return true;
	return false;
}

/* Returns whether a supervisor needs this thread, the root scheduler's own, to end the system. */
static bool ends_system(const struct fake_object *c, uint32_t index, unsigned int id)
{
	bool spare, supervisor = record_of(index)->flags & LIMPET_COMPONENT_SUPERVISOR;
	uint32_t owner = owner_of(id, &spare);

	if (supervisor)
		assert_int_equal(boot.object[c->table].slot[LIMPET_SLOT_STOP].rights, LIMPET_WRITE);
	return supervisor && owner && is_root(record_of(owner)) && !spare;
}

/*
 * Checks the component's capability to a thread. A scheduler has its own thread and those that it schedules. A
 * supervisor has the threads of its supervised components, and the root scheduler's thread.
 */
static void check_thread(const struct fake_object *c, uint32_t index, unsigned int id)
{
	bool spare, scheduler = record_of(index)->flags & LIMPET_COMPONENT_SCHEDULER;
	uint32_t owner = owner_of(id, &spare);
	bool wanted = owner && ((scheduler && (owner == index || scheduled_by(owner, index))) ||
				supervises(index, owner) || ends_system(c, index, id));
	const struct fake_object *table = &boot.object[c->table];

	assert_int_equal(has(c, LIMPET_SLOT_THREADS + id), wanted);
	if (!wanted)
		return;
	assert_int_equal(table->slot[LIMPET_SLOT_THREADS + id].rights, LIMPET_MANAGE);
	assert_int_equal(boot.object[table->slot[LIMPET_SLOT_THREADS + id].object].id, id);
}

/*
 * Checks a scheduler's capability to a thread's endpoint: WRITE for threads that it schedules,
 * MANAGE for those of components that it supervises.
 */
static void check_endpoint_of(const struct fake_object *c, uint32_t index, unsigned int id)
{
	bool spare, manage = false;
	uint32_t owner = owner_of(id, &spare);
	const struct fake_capability *cap = &boot.object[c->table].slot[LIMPET_SLOT_ENDPOINTS + id];

	for (uint32_t i = 1; i < header()->components; i++)
		manage |= supervises(index, i) && owner && record_of(i)->scheduler == owner &&
			  !spare;
	if (manage) {
		assert_true(has(c, LIMPET_SLOT_ENDPOINTS + id));
		assert_int_equal(cap->rights, LIMPET_MANAGE);
	} else if (owner && !spare && record_of(owner)->scheduler == index &&
		   record_of(owner)->flags & LIMPET_COMPONENT_SCHEDULER) {
		assert_true(has(c, LIMPET_SLOT_ENDPOINTS + id));
		assert_int_equal(cap->rights, LIMPET_WRITE);
	} else {
		assert_false(has(c, LIMPET_SLOT_ENDPOINTS + id));
	}
}

static void check_rights(const struct fake_object *c, const struct limpet_image_component *record)
{
	uint32_t flags = record->flags;

	assert_true(has(c, LIMPET_SLOT_TABLE));
	assert_int_equal(has(c, LIMPET_SLOT_ENDPOINT), record->priority != 0);
	assert_int_equal(has(c, LIMPET_SLOT_CPU),
			 is_root(record) || (flags & LIMPET_COMPONENT_CPU) != 0);
	assert_int_equal(has(c, LIMPET_SLOT_FRAMES), (flags & LIMPET_COMPONENT_MEMORY) != 0);
	assert_int_equal(has(c, LIMPET_SLOT_CHANNEL),
			 (flags & (LIMPET_COMPONENT_CONSOLE | LIMPET_COMPONENT_SUPERVISOR)) != 0);
	/* A memory manager has other capabilities in these slots. */
	for (unsigned int id = 0; id <= booter.threads && !(flags & LIMPET_COMPONENT_MEMORY);
	     id++) {
		check_thread(c, (uint32_t)c->index, id);
		check_endpoint_of(c, (uint32_t)c->index, id);
	}
	for (unsigned int i = 0; i < header()->components; i++) {
		bool supervised = supervises((uint32_t)c->index, i);
		bool looked_at = i < header()->components && looked_at_by(i, (uint32_t)c->index);

		if (flags & LIMPET_COMPONENT_MEMORY)
			assert_int_equal(has(c, LIMPET_SLOT_PAGE_TABLES + i),
					 part_at(i) && part_at(i)->window);
		assert_int_equal(has(c, LIMPET_SLOT_SPACES + i), supervised);
		assert_int_equal(has(c, LIMPET_SLOT_COMPONENTS + i), supervised || looked_at);
		if (supervised || looked_at)
			assert_int_equal(
				boot.object[c->table].slot[LIMPET_SLOT_COMPONENTS + i].rights,
				supervised ? LIMPET_MANAGE | LIMPET_WRITE | LIMPET_EXEC : 0);
	}
}

/* The console has the names of all components of its CPU. */
static void check_names(const struct fake_object *c, const struct limpet_info *info)
{
	word rights;

	for (uint32_t i = 0; i < header()->components; i++) {
		const char *name = fake_byte(c, (word)info->name_of[i], &rights);

		assert_int_equal(rights, LIMPET_READ);
		assert_string_equal(name, part_at(i) ? part_name(part_at(i)) : "");
	}
}

static void check_console(const struct fake_object *c, const struct limpet_info *info)
{
	word rights;
	const struct limpet_ring *ring = (const void *)fake_byte(c, info->channel, &rights);

	assert_int_equal(info->channel_size, 65536);
	assert_int_equal(rights, LIMPET_READ | LIMPET_WRITE);
	assert_int_equal(ring->magic, LIMPET_RING_MAGIC);
	assert_int_equal(ring->size, 32768);
	assert_int_equal(ring->head, 0);
	assert_non_null(fake_byte(c, info->channel + 65535, &rights));
	if (info->flags & LIMPET_COMPONENT_CONSOLE)
		check_names(c, info);
	else
		assert_null(info->name_of);
}

/* A page table has as many pages as the mappings of its component can need. */
static void check_pool(const struct fake_object *c, const struct part *part)
{
	const struct fake_object *pt = &boot.object[c->page_table];
	uint64_t pages = part == booter.memory ? header()->frames : part->record->quota;

	assert_in_range(pt->used, 1, pt->pool);
	assert_int_equal(pt->pool - pt->used - 1, part->window ? (pages + 511) / 512 + 3 : 0);
}

void check_component(uint32_t index)
{
	const struct limpet_image_component *record = record_of(index);
	const struct limpet_image_segment *s =
		(const struct limpet_image_segment *)(image + header()->segments_at) +
		record->segment;
	const struct fake_object *c = fake_component(index);
	const struct limpet_info *info;
	word rights;

	assert_non_null(c);
	for (uint32_t i = 0; i < record->segments; i++)
		check_segment(c, &s[i]);
	for (word at = 0; at < record->heap_size; at += LIMPET_PAGE)
		assert_int_equal(*fake_byte(c, record->heap + at, &rights), 0);
	check_stacks(c, record);
	check_wires(c, record);
	check_rights(c, record);
	info = check_info(c, record);
	if (record->flags & LIMPET_COMPONENT_CONSOLE)
		check_console(c, info);
	check_pool(c, part_at(index));
}

/* Returns the endpoint at which the component receives. */
static unsigned int endpoint_of(uint32_t index)
{
	const struct fake_object *c = fake_component(index);

	return boot.object[c->table].slot[LIMPET_SLOT_ENDPOINT].object;
}

void check_threads(void)
{
	unsigned int threads = 0;

	for (unsigned int i = 1; i <= boot.objects; i++) {
		const struct fake_object *t = &boot.object[i];
		const struct limpet_image_component *record;
		uint32_t home;
		bool spare;

		if (t->type != LIMPET_THREAD || !t->component)
			continue;
		home = (uint32_t)boot.object[t->component].index;
		record = record_of(home);
		threads++;
		assert_int_equal(owner_of((unsigned int)t->id, &spare), home);
		assert_int_equal(t->entry, record->entry);
		assert_int_equal(t->argument, spare ? 2 : 1);
		assert_int_equal(t->urgency, is_root(record) ? LIMPET_URGENCY_MAX : 0);
		if (is_root(record))
			assert_int_equal(t->endpoint, 0);
		else
			assert_int_equal(t->endpoint, endpoint_of(record->scheduler));
	}
	assert_int_equal(threads, booter.threads);
}

/* Only a component with an interrupt, or with the timer's events, may bind events to its endpoint. */
void check_endpoint(const struct fake_object *c, uint32_t flags, const struct limpet_info *info)
{
	bool manage = flags & LIMPET_COMPONENT_SCHEDULER && !record_of(info->index)->scheduler;

	for (uint32_t i = 0; i < info->resources; i++)
		manage |= info->resource[i].kind == LIMPET_RESOURCE_INTERRUPT;
	if (has(c, LIMPET_SLOT_ENDPOINT))
		assert_int_equal(boot.object[c->table].slot[LIMPET_SLOT_ENDPOINT].rights,
				 LIMPET_READ | LIMPET_WRITE | (manage ? (word)LIMPET_MANAGE : 0));
}

void check_boots(void (*more)(uint32_t index))
{
	for (unsigned int cpu = 0; cpu < header()->cpus; cpu++) {
		boot_with(cpu, 3000);
		assert_string_equal(boot.printed, "");
		assert_int_equal(boot.end, DISPATCHED);
		for (uint32_t i = 1; i < header()->components; i++) {
			if (record_of(i)->cpu != cpu)
				continue;
			more(i);
			check_component(i);
		}
	}
}
