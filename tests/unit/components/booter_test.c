// SPDX-License-Identifier: BSD-2-Clause
/*
 * The booter, on composed images and a kernel in miniature: every component gets what the image says
 * and nothing else, with exactly the frames that the plan says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <image/crc.h>
#include <limpet/channel.h>
#include <runtime/component.h>
#include <runtime/window.h>

#include "booter.h"
#include "booter_fake.h"

static char *image;
static long size;

static const struct limpet_image *header(void)
{
	return (const struct limpet_image *)image;
}

static void load(const char *path)
{
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	free(image);
	image = aligned_alloc(4096, (size_t)size);
	assert_int_equal(fread(image, 1, (size_t)size, file), size);
	fclose(file);
}

/* The booter keeps its state in one structure: each boot begins with it empty. */
static void boot_with(unsigned int cpu, word frames)
{
	memset(&booter, 0, sizeof(booter));
	fake_boot(image, (word)size, cpu, frames);
}

static const struct limpet_image_component *record_of(uint32_t index)
{
	return (const struct limpet_image_component *)(image + header()->components_at) + index;
}

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
			at += 500; /* a part of each block will do */
	}
}

static void check_stacks(const struct fake_object *c, const struct limpet_image_component *record)
{
	word pages = (1ul << record->stack_shift) / LIMPET_PAGE, rights;

	assert_int_equal(c->stacks, record->stacks);
	assert_int_equal(c->stack_shift, record->stack_shift);
	for (word id = 0; id <= booter.threads; id++) {
		word lowest = record->stacks + (id << record->stack_shift);

		assert_null(fake_byte(c, lowest, &rights));
		for (word i = 1; i < pages; i++) {
			const char *byte = fake_byte(c, lowest + i * LIMPET_PAGE, &rights);

			assert_non_null(byte);
			assert_int_equal(rights, LIMPET_READ | LIMPET_WRITE);
			assert_int_equal(*byte, 0);
		}
	}
	assert_null(fake_byte(
		c, record->stacks + ((booter.threads + 1ul) << record->stack_shift) + LIMPET_PAGE,
		&rights));
}

/* The component whose thread it is, counted anew from the image; 0: nobody's. */
static uint32_t owner_of(unsigned int id, bool *spare)
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

static const struct limpet_info *check_info(const struct fake_object *c,
					    const struct limpet_image_component *record)
{
	word rights;
	const struct limpet_info *info = (const void *)fake_byte(c, record->info, &rights);

	assert_non_null(info);
	assert_int_equal(rights, LIMPET_READ);
	assert_int_equal(info->magic, LIMPET_INFO_MAGIC);
	assert_int_equal(info->index, c->index);
	assert_int_equal(info->priority, record->priority);
	assert_int_equal(info->args, record->args);
	assert_int_equal(info->version, 3);
	assert_int_equal(info->threads, booter.threads);
	for (unsigned int id = 1; id <= booter.threads; id++) {
		bool spare;
		uint32_t owner = owner_of(id, &spare);

		assert_int_equal(info->thread_of[id].component, owner);
		assert_int_equal(info->thread_of[id].priority, record_of(owner)->priority);
		assert_int_equal(info->thread_of[id].scheduler, record_of(owner)->scheduler);
		assert_int_equal(info->thread_of[id].flags, spare ? LIMPET_THREAD_SPARE : 0);
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

static bool has(const struct fake_object *c, unsigned int slot)
{
	const struct fake_object *table = &boot.object[c->table];

	return slot < table->slots && table->slot[slot].type;
}

static bool is_root(const struct limpet_image_component *record)
{
	return record->flags & LIMPET_COMPONENT_SCHEDULER && !record->scheduler;
}

static bool supervises(uint32_t index, uint32_t other)
{
	return part_at(other) && record_of(other)->supervisor == index;
}

/* Directly, or through other schedulers. */
static bool scheduled_by(uint32_t index, uint32_t scheduler)
{
	for (index = record_of(index)->scheduler; index; index = record_of(index)->scheduler)
		if (index == scheduler)
			return true;
	return false;
}

/* A supervisor ends the system by way of the scheduler that nobody schedules, and of its thread. */
static bool ends_system(const struct fake_object *c, uint32_t index, unsigned int id)
{
	bool spare, supervisor = record_of(index)->flags & LIMPET_COMPONENT_SUPERVISOR;
	uint32_t owner = owner_of(id, &spare);
	bool root = owner && record_of(owner)->flags & LIMPET_COMPONENT_SCHEDULER &&
		    !record_of(owner)->scheduler;

	if (supervisor)
		assert_true(has(c, LIMPET_SLOT_STOP));
	return supervisor && root && !spare;
}

/*
 * Its own thread of a scheduler, those that it schedules, those whose component it supervises, and the
 * root scheduler's.
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

/* Of schedulers: with WRITE those that it schedules, with MANAGE those of whom it supervises. */
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
	for (unsigned int id = 0; id < LIMPET_THREADS_MAX; id++) {
		check_thread(c, (uint32_t)c->index, id);
		check_endpoint_of(c, (uint32_t)c->index, id);
	}
	for (unsigned int i = 0; i < LIMPET_COMPONENTS_MAX; i++) {
		bool supervised = supervises((uint32_t)c->index, i);

		assert_int_equal(has(c, LIMPET_SLOT_PAGE_TABLES + i),
				 supervised || (flags & LIMPET_COMPONENT_MEMORY && part_at(i) &&
						part_at(i)->window));
		assert_int_equal(has(c, LIMPET_SLOT_COMPONENTS + i), supervised);
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
}

/* A page table is as large as what may be mapped in it needs, on five levels. */
static void check_pool(const struct fake_object *c, const struct part *part)
{
	const struct fake_object *pt = &boot.object[c->page_table];
	uint64_t pages = part == booter.memory ? header()->frames : part->record->quota;

	assert_in_range(pt->used, 1, pt->pool);
	assert_int_equal(pt->pool - pt->used, part->window ? (pages + 511) / 512 + 2 : 0);
}

static void check_component(uint32_t index)
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

/* The object that the component receives at. */
static unsigned int endpoint_of(uint32_t index)
{
	const struct fake_object *c = fake_component(index);

	return boot.object[c->table].slot[LIMPET_SLOT_ENDPOINT].object;
}

static void check_threads(void)
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

static void check_system(const char *path, unsigned int cpu)
{
	unsigned int on_cpu = 0;

	load(path);
	boot_with(cpu, 3000);
	assert_string_equal(boot.printed, "");
	assert_int_equal(boot.end, DISPATCHED);
	assert_true(is_root(record_of((uint32_t)boot.dispatched)));
	for (uint32_t i = 1; i < header()->components; i++) {
		if (record_of(i)->cpu != cpu) {
			assert_null(fake_component(i));
			continue;
		}
		check_component(i);
		assert_int_equal(boot.init[on_cpu++], i); /* in the order of the image */
	}
	assert_int_equal(boot.inits, on_cpu);
	check_threads();
}

static void test_systems(void **state)
{
	(void)state;
	check_system("build/systems/ping.limpet", 0);
	check_system("build/systems/demo.limpet", 0);
	check_system("build/systems/two-cpus.limpet", 0);
	assert_int_equal(boot.exported, 1u << 0);
	assert_int_equal(boot.imported, 1u << 1);
	check_system("build/systems/two-cpus.limpet", 1);
	assert_int_equal(boot.exported, 1u << 1);
	assert_int_equal(boot.imported, 1u << 0);
}

static uint32_t index_of(const char *name)
{
	for (uint32_t i = 1; i < header()->components; i++)
		if (!strcmp(image + header()->strings_at + record_of(i)->name, name))
			return i;
	fail_msg("no component %s", name);
	return 0;
}

/* The record of a component, to be changed; then the check sum has to be made right. */
static struct limpet_image_component *change(const char *name)
{
	return (struct limpet_image_component *)record_of(index_of(name));
}

static void changed(void)
{
	((struct limpet_image *)image)->crc = limpet_image_crc(image, (uint64_t)size);
}

/* The demo with a nested scheduler, spare threads, and a supervisor of two. */
static void load_family(void)
{
	uint32_t log, control;

	load("build/systems/demo.limpet");
	log = index_of("log");
	control = index_of("control");
	change("control")->flags |= LIMPET_COMPONENT_SCHEDULER;
	change("hog")->scheduler = control;
	change("hog")->threads = 3;
	change("ping")->scheduler = control;
	change("mem")->threads = 2; /* it has none of its own */
	change("mem")->scheduler = index_of("sched");
	change("log")->flags = LIMPET_COMPONENT_SUPERVISOR;
	for (unsigned int i = 0; i < 2; i++) {
		struct limpet_image_component *record = change(i ? "hog" : "mem");

		record->faults = record->supervisor = log;
		record->faults_entry = change("log")->entry;
		record->heap = record->info + 16 * LIMPET_PAGE;
		record->heap_size = 3 * LIMPET_PAGE;
		record->stacks += 1ul << 30 >> 1;
	}
	changed();
}

/* The plan knows how many frames it takes, to the last one. */
static void test_frames(void **state)
{
	word missing, needed;
	static const char *const systems[] = { "ping", "demo", "hog", "idle", "two-cpus" };

	(void)state;
	for (unsigned int i = 0; i <= array_size(systems); i++) {
		char path[60];

		if (i < array_size(systems)) {
			snprintf(path, sizeof(path), "build/systems/%s.limpet", systems[i]);
			load(path);
		} else {
			load_family();
		}
		boot_with(0, 10);
		assert_int_equal(boot.end, STOPPED);
		assert_int_equal(sscanf(boot.printed,
					"booter: CPU 0: %lu frames are missing: its components "
					"need %lu of 4096 bytes, 10 are free",
					&missing, &needed),
				 2);
		assert_int_equal(missing, needed - 10);
		boot_with(0, needed - 1);
		assert_int_equal(boot.end, STOPPED);
		assert_non_null(strstr(boot.printed, " 1 frames are missing"));
		boot_with(0, needed);
		assert_int_equal(boot.end, DISPATCHED);
		if (booter.memory) {
			const struct fake_object *c = fake_component(booter.memory->index);

			assert_int_equal(boot.object[c->table].slot[LIMPET_SLOT_FRAMES].count, 1);
		} else {
			assert_int_equal(boot.slot[LIMPET_BOOT_FRAMES].count, 1);
		}
	}
}

/* Only who has an interrupt, or is sent the timer's, may have events bound to its endpoint. */
static void check_endpoint(const struct fake_object *c, uint32_t flags,
			   const struct limpet_info *info)
{
	bool manage = flags & LIMPET_COMPONENT_SCHEDULER &&
		      info->thread_of[info->thread].scheduler == 0;

	for (uint32_t i = 0; i < info->resources; i++)
		manage |= info->resource[i].kind == LIMPET_RESOURCE_INTERRUPT;
	if (has(c, LIMPET_SLOT_ENDPOINT))
		assert_int_equal(boot.object[c->table].slot[LIMPET_SLOT_ENDPOINT].rights,
				 LIMPET_READ | LIMPET_WRITE | (manage ? (word)LIMPET_MANAGE : 0));
}

/* More page tables than one kernel object holds: 512 of the lowest level for each window. */
static void test_large_window(void **state)
{
	unsigned int windows = 0;

	(void)state;
	load("build/systems/demo.limpet");
	change("mem")->quota = LIMPET_QUOTA_MAX;
	change("hog")->quota = LIMPET_QUOTA_MAX;
	changed();
	boot_with(0, 3900);
	assert_int_equal(boot.end, DISPATCHED);
	for (uint32_t i = 0; i < booter.parts; i++) {
		const struct fake_object *c = fake_component(booter.part[i].index);
		const struct fake_object *pt = &boot.object[c->page_table];

		windows += booter.part[i].window != 0;
		if (&booter.part[i] != booter.memory)
			assert_int_equal(pt->pool - pt->used, booter.part[i].window ? 512 + 2 : 0);
	}
	assert_int_equal(windows, 2); /* mem and hog */
}

/* The second page of the memory manager: a quota for each whom it serves, and for nobody else. */
static void test_quota(void **state)
{
	const struct limpet_info_memory *page;
	const struct limpet_info *info;
	const struct fake_object *mem;
	word rights;

	(void)state;
	load("build/systems/demo.limpet");
	change("hog")->quota = 77;
	change("ping")->faults = index_of("mem"); /* it is served on its faults */
	change("ping")->faults_entry = change("mem")->entry;
	change("ping")->memory = index_of("mem");
	changed();
	boot_with(0, 3000);
	assert_int_equal(boot.end, DISPATCHED);
	mem = fake_component(index_of("mem"));
	info = check_info(mem, record_of(index_of("mem")));
	page = (const void *)fake_byte(mem, info->memory, &rights);
	assert_int_equal(rights, LIMPET_READ);
	for (uint32_t i = 0; i < LIMPET_COMPONENTS_MAX; i++)
		assert_int_equal(page->quota[i], i == index_of("hog")	 ? 77
						 : i == index_of("mem")	 ? LIMPET_WINDOW_QUOTA
						 : i == index_of("ping") ? LIMPET_WINDOW_QUOTA
									 : 0);
	for (uint32_t i = 1; i < header()->components; i++)
		check_component(i);
	change("hog")->quota = 0;
	changed();
	boot_with(0, 3000);
	assert_int_equal(part_at(index_of("hog"))->window, 0);
	check_component(index_of("hog"));
}

static void test_threads(void **state)
{
	const struct limpet_info *info;

	(void)state;
	load_family();
	boot_with(0, 3900);
	assert_string_equal(boot.printed, "");
	assert_int_equal(boot.end, DISPATCHED);
	for (uint32_t i = 1; i < header()->components; i++) {
		check_component(i);
		info = check_info(fake_component(i), record_of(i));
		check_endpoint(fake_component(i), record_of(i)->flags, info);
	}
	check_threads();
	assert_int_equal(booter.threads, 5 + 3 + 2);
}

/* The bytes of a supervised component's writable memory are those that the supervisor sees. */
static void check_seen(const struct fake_object *supervisor, const struct fake_object *c,
		       word address, word bytes, word view, word kept)
{
	for (word at = 0; at < bytes; at += LIMPET_PAGE) {
		const struct fake_mapping *own = fake_mapped(c, address + at);
		const struct fake_mapping *seen = fake_mapped(supervisor, view + at);
		word rights;

		assert_int_equal(own->frame, seen->frame);
		assert_int_equal(seen->rights, LIMPET_READ | LIMPET_WRITE);
		assert_int_equal(*fake_byte(supervisor, kept + at, &rights), 0);
		assert_int_equal(rights, LIMPET_READ | LIMPET_WRITE);
		assert_int_not_equal(fake_mapped(supervisor, kept + at)->frame, own->frame);
	}
}

static void check_supervised(const struct fake_object *supervisor,
			     const struct limpet_info_supervised *s)
{
	const struct limpet_image_component *record = record_of(s->component);
	const struct limpet_image_segment *segment =
		(const struct limpet_image_segment *)(image + header()->segments_at);
	const struct fake_object *c = fake_component(s->component);
	word at = 0;
	bool spare;

	for (unsigned int id = 0; id < LIMPET_THREADS_MAX; id++)
		assert_int_equal(s->threads >> id & 1, id && owner_of(id, &spare) == s->component);
	assert_int_equal(s->scheduler, part_at(record->scheduler)->thread_id);
	for (uint32_t i = record->segment; i < record->segment + record->segments; i++) {
		if (!(segment[i].rights & LIMPET_WRITE))
			continue;
		check_seen(supervisor, c, segment[i].address, segment[i].size, s->view + at,
			   s->kept + at);
		at += segment[i].size;
	}
	check_seen(supervisor, c, record->heap, record->heap_size, s->view + at, s->kept + at);
	assert_int_equal(s->size, at + record->heap_size);
	assert_int_equal(boot.object[c->handler.object].index, record->faults);
	assert_int_equal(c->handler.entry, record->faults_entry);
	assert_int_equal(c->handler.badge, s->component + 1);
}

static void test_supervisor(void **state)
{
	const struct limpet_info_supervised *s;
	const struct fake_object *log;
	const struct limpet_info *info;
	word rights;

	(void)state;
	load_family();
	boot_with(0, 3900);
	log = fake_component(index_of("log"));
	info = check_info(log, record_of(index_of("log")));
	assert_int_equal(info->supervised, 2);
	s = (const void *)fake_byte(log, info->supervision, &rights);
	assert_int_equal(rights, LIMPET_READ);
	assert_int_equal(s[0].component, index_of("mem"));
	assert_int_equal(s[1].component, index_of("hog"));
	check_supervised(log, &s[0]);
	check_supervised(log, &s[1]);
	assert_int_equal(info->image_size, size);
	for (word at = 0; at < info->image_size; at += LIMPET_PAGE) {
		assert_int_equal(*fake_byte(log, info->image + at, &rights), image[at]);
		assert_int_equal(rights, LIMPET_READ);
	}
	assert_int_equal(boot.object[log->table].slot[LIMPET_SLOT_CHANNEL].first, 1);
	assert_int_equal(fake_component(index_of("ping"))->handler.type, LIMPET_NONE);
}

/* Of two of a role the second is named; without the first the boot does not begin. */
static void test_roles(void **state)
{
	(void)state;
	load_family();
	change("pong")->flags = LIMPET_COMPONENT_SUPERVISOR;
	changed();
	boot_with(0, 3900);
	assert_int_equal(boot.end, STOPPED);
	assert_non_null(strstr(boot.printed, "log and pong are both a supervisor: a CPU has one"));
	assert_int_equal(boot.objects, 5);
}

/* Puts a table of resources into the image; strings make room up to the first contents. */
static void resources_put(const struct limpet_image_resource *resource, uint32_t count)
{
	struct limpet_image *head = (struct limpet_image *)image;
	uint64_t bytes = count * sizeof(*resource);
	uint64_t end = head->strings_at + head->strings;

	assert_true((end + bytes - 1) / LIMPET_PAGE == (end - 1) / LIMPET_PAGE);
	memmove(image + head->symbols_at + bytes, image + head->symbols_at, end - head->symbols_at);
	memcpy(image + head->symbols_at, resource, bytes);
	head->resources = count;
	head->symbols_at += bytes;
	head->unwinds_at += bytes;
	head->strings_at += bytes;
	changed();
}

static void check_device(const struct fake_object *c, const struct limpet_info_resource *r)
{
	assert_int_equal(r->address % LIMPET_PAGE, 0);
	assert_null(fake_mapped(c, r->address - LIMPET_PAGE));
	for (word at = 0; at < r->count; at += LIMPET_PAGE) {
		const struct fake_mapping *m = fake_mapped(c, r->address + at);

		assert_non_null(m);
		assert_int_equal(m->frame, (r->first + at) / LIMPET_PAGE);
		assert_int_equal(m->rights, LIMPET_READ | LIMPET_WRITE);
	}
	assert_null(fake_mapped(c, r->address + r->count));
}

/* Info page, capabilities and memory are those that the host has for the component, in its order. */
static void check_resources(uint32_t index)
{
	static const enum limpet_type types[] = { 0, LIMPET_IO_PORTS, LIMPET_DEVICE_MEMORY,
						  LIMPET_INTERRUPT };
	const struct fake_object *c = fake_component(index);
	const struct limpet_info *info = check_info(c, record_of(index));
	uint32_t n = 0;

	for (unsigned int i = 0; i < fake_resources; i++) {
		const struct fake_resource *wanted = &fake_resource[i];
		const struct limpet_info_resource *r = &info->resource[n];
		const struct fake_capability *cap;

		if (wanted->component != index)
			continue;
		cap = &boot.object[c->table].slot[LIMPET_SLOT_RESOURCES + n++];
		assert_int_equal(cap->type, types[wanted->kind]);
		assert_int_equal(r->kind, wanted->kind);
		assert_int_equal(r->flags, wanted->flags);
		assert_int_equal(r->first, wanted->first);
		assert_int_equal(r->count, wanted->count);
		if (r->kind == LIMPET_RESOURCE_MEMORY)
			check_device(c, r);
		else
			assert_int_equal(r->address, 0);
	}
	assert_int_equal(info->resources, n);
	check_endpoint(c, record_of(index)->flags, info);
	for (; n < LIMPET_INFO_RESOURCES; n++)
		assert_false(has(c, LIMPET_SLOT_RESOURCES + n));
}

static void resources_of(const struct fake_resource *resource, unsigned int count)
{
	memcpy(fake_resource, resource, count * sizeof(*resource));
	fake_resources = count;
}

/* The image says that there are some; which, says the kernel. */
static void load_with_resource(void)
{
	struct limpet_image_resource one = { .kind = LIMPET_RESOURCE_PCI, .first = 24, .count = 1 };

	load("build/systems/two-cpus.limpet");
	one.component = index_of("bounce");
	resources_put(&one, 1);
}

static void test_resources(void **state)
{
	const uint32_t page = LIMPET_PAGE;

	(void)state;
	load_with_resource();
	{
		const uint32_t bounce = index_of("bounce"), bounce_1 = index_of("bounce-1");
		const struct fake_resource resource[] = {
			{ bounce, LIMPET_RESOURCE_PORTS, 0, 0x2f8, 8 },
			{ bounce, LIMPET_RESOURCE_MEMORY, LIMPET_RESOURCE_CONFIG, 0xb0018000,
			  page },
			{ bounce, LIMPET_RESOURCE_MEMORY, LIMPET_RESOURCE_BAR(0), 0xfebc0000,
			  40 * page },
			{ bounce, LIMPET_RESOURCE_MEMORY, LIMPET_RESOURCE_BAR(5), 0x380000000000,
			  600 * page },
			{ bounce, LIMPET_RESOURCE_INTERRUPT, 0, LIMPET_LINE_MESSAGE, 1 },
			{ bounce_1, LIMPET_RESOURCE_INTERRUPT, LIMPET_RESOURCE_LEVEL, 20, 1 },
			{ bounce_1, LIMPET_RESOURCE_MEMORY, LIMPET_RESOURCE_SHOWN, 0xfed00000,
			  page },
		};

		resources_of(resource, array_size(resource));
		for (unsigned int cpu = 0; cpu < 2; cpu++) {
			boot_with(cpu, 3000);
			assert_string_equal(boot.printed, "");
			assert_int_equal(boot.end, DISPATCHED);
			for (uint32_t i = 1; i < header()->components; i++)
				if (record_of(i)->cpu == cpu) {
					check_resources(i);
					check_component(i);
				}
		}
	}
	fake_resources = 0;
}

static void test_resources_many(void **state)
{
	(void)state;
	load_with_resource();
	for (unsigned int i = 0; i <= LIMPET_INFO_RESOURCES; i++)
		fake_resource[i] = (struct fake_resource){ index_of("bounce"),
							   LIMPET_RESOURCE_INTERRUPT, 0, i, 1 };
	fake_resources = LIMPET_INFO_RESOURCES;
	boot_with(0, 3000);
	assert_int_equal(boot.end, DISPATCHED);
	check_resources(index_of("bounce"));
	fake_resources++;
	boot_with(0, 3000);
	assert_int_equal(boot.end, STOPPED);
	assert_non_null(strstr(boot.printed,
			       "booter: CPU 0: bounce: with all parts of PCI functions "
			       "it has more than 16 resources"));
	assert_int_equal(boot.objects, 5); /* nothing was begun */
	fake_resources = 0;
}

/* More memory than there are addresses below the windows, and an image without resources. */
static void test_resources_odd(void **state)
{
	const struct limpet_info *bounce;

	(void)state;
	load_with_resource();
	resources_of(&(struct fake_resource){ index_of("bounce"), LIMPET_RESOURCE_MEMORY, 0, 0,
					      1ul << 47 },
		     1);
	boot_with(0, 3000);
	assert_int_equal(boot.end, STOPPED);
	assert_non_null(strstr(boot.printed, "bounce: a device's memory of 34359738368 pages"));
	fake_resource[0].count = LIMPET_PAGE;
	boot_with(0, 3000);
	assert_int_equal(boot.end, DISPATCHED);
	bounce = check_info(fake_component(index_of("bounce")), record_of(index_of("bounce")));
	fake_resource[1] = fake_resource[0]; /* right behind all that there is */
	fake_resource[0].count = limpet_window(0) - bounce->resource[0].address;
	fake_resources = 2;
	boot_with(0, 3000);
	assert_int_equal(boot.end, STOPPED);
	assert_non_null(strstr(boot.printed, "bounce: a device's memory of 1 pages is too large"));
	load("build/systems/two-cpus.limpet");
	boot_with(0, 3000);
	assert_int_equal(boot.end, DISPATCHED);
	assert_int_equal(fake_resource_asked, 0);
	check_component(index_of("bounce"));
	assert_false(has(fake_component(index_of("bounce")), LIMPET_SLOT_RESOURCES));
	fake_resources = 0;
}

static void test_damaged(void **state)
{
	(void)state;
	load("build/systems/ping.limpet");
	image[size / 2] ^= 1;
	boot_with(0, 3000);
	assert_int_equal(boot.end, STOPPED);
	assert_non_null(strstr(boot.printed, "booter: CPU 0: the image's crc"));
	assert_int_equal(boot.objects, 5); /* nothing was begun */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_systems),	       cmocka_unit_test(test_frames),
		cmocka_unit_test(test_large_window),   cmocka_unit_test(test_quota),
		cmocka_unit_test(test_threads),	       cmocka_unit_test(test_supervisor),
		cmocka_unit_test(test_roles),	       cmocka_unit_test(test_resources),
		cmocka_unit_test(test_resources_many), cmocka_unit_test(test_resources_odd),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
