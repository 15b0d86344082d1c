// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests the booter with composed images and a fake kernel. Each component gets exactly what the
 * image describes, with exactly the planned frames.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <runtime/component.h>
#include <runtime/window.h>

#include "booter_check.h"

#define SLOTS_INVOKED 4094u /* the highest slot that an invocation can name */

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
	check_system("build/systems/ping-pool.limpet", 0);
	check_system("build/systems/demo.limpet", 0);
	check_system("build/systems/two-cpus.limpet", 0);
	assert_int_equal(boot.exported, 1u << 0);
	assert_int_equal(boot.imported, 1u << 1);
	check_system("build/systems/two-cpus.limpet", 1);
	assert_int_equal(boot.exported, 1u << 1);
	assert_int_equal(boot.imported, 1u << 0);
}

/*
 * Loads the demo, changed to have a nested scheduler, spare threads, a supervisor of two, and a component that knows
 * its clients.
 */
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
	change("mem")->threads = 2; /* it has no thread of its own */
	change("mem")->scheduler = index_of("sched");
	change("log")->flags = LIMPET_COMPONENT_SUPERVISOR;
	change("pong")->flags = LIMPET_COMPONENT_CLIENTS;
	for (unsigned int i = 0; i < 2; i++) {
		struct limpet_image_component *record = change(i ? "hog" : "mem");

		record->faults = record->supervisor = log;
		record->faults_entry = change("log")->entry;
		record->heap = record->info + 16 * LIMPET_PAGE;
		record->heap_size = 3 * LIMPET_PAGE;
		record->stacks += 1ul << 30 >> 1;
	}
	for (uint32_t i = 1; i < header()->components; i++)
		((struct limpet_image_component *)record_of(i))->stack_count = 16;
	changed();
}

/*
 * With the planned frames, one is left, and one for each page table without a fifth level. On five
 * levels a page table with a window takes one of the pages for the window.
 */
static void check_left(word needed, unsigned int levels)
{
	const struct fake_capability *left = &boot.slot[LIMPET_BOOT_FRAMES];
	unsigned int expected = 1;

	fake_levels = levels;
	boot_with(0, needed);
	fake_levels = 4;
	assert_string_equal(boot.printed, "");
	assert_int_equal(boot.end, DISPATCHED);
	if (booter.memory)
		left = &boot.object[fake_component(booter.memory->index)->table]
				.slot[LIMPET_SLOT_FRAMES];
	for (uint32_t i = 0; i < booter.parts; i++)
		expected += levels == 4 || booter.part[i].window;
	assert_int_equal(left->count, expected);
}

/* The plan counts its frames exactly. */
static void test_frames(void **state)
{
	word missing, needed;
	static const char *const systems[] = { "ping", "ping-pool", "demo",
					       "hog",  "idle",	    "two-cpus" };

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
					"booter: CPU 0: %lu frames are missing: the components "
					"need %lu of 4096 bytes, 10 are free",
					&missing, &needed),
				 2);
		assert_int_equal(missing, needed - 10);
		boot_with(0, needed - 1);
		assert_int_equal(boot.end, STOPPED);
		assert_non_null(strstr(boot.printed, " 1 frames are missing"));
		check_left(needed, 4);
		check_left(needed, 5);
	}
}

/* A window can need more page tables than one kernel object holds: 512 of the lowest level. */
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
			assert_int_equal(pt->pool - pt->used - 1,
					 booter.part[i].window ? 512 + 3 : 0);
	}
	assert_int_equal(windows, 2); /* mem and hog */
}

/* The second page of the memory manager has the quota of each client, and no other entries. */
static void test_quota(void **state)
{
	const struct limpet_info_memory *page;
	const struct limpet_info *info;
	const struct fake_object *mem;
	word rights;

	(void)state;
	load("build/systems/demo.limpet");
	change("hog")->quota = 77;
	change("ping")->faults = index_of("mem"); /* it is called for its faults */
	change("ping")->faults_entry = change("mem")->entry;
	change("ping")->memory = index_of("mem");
	changed();
	boot_with(0, 3000);
	assert_int_equal(boot.end, DISPATCHED);
	mem = fake_component(index_of("mem"));
	info = check_info(mem, record_of(index_of("mem")));
	page = (const void *)fake_byte(mem, info->memory, &rights);
	assert_int_equal(rights, LIMPET_READ);
	for (uint32_t i = 0; i < header()->components; i++)
		assert_int_equal(page[i].quota, i == index_of("hog")	? 77
						: i == index_of("mem")	? LIMPET_WINDOW_QUOTA
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

/* Checks that a supervisor maps the frames of a supervised component's writable memory. */
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
		assert_int_equal((id && id == s->thread) ||
					 (id >= s->spare && id < s->spare + s->spares),
				 id && owner_of(id, &spare) == s->component);
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
	assert_int_equal(info->image_size, image_size);
	for (word at = 0; at < info->image_size; at += LIMPET_PAGE) {
		assert_int_equal(*fake_byte(log, info->image + at, &rights), image[at]);
		assert_int_equal(rights, LIMPET_READ);
	}
	assert_int_equal(boot.object[log->table].slot[LIMPET_SLOT_CHANNEL].first, 1);
	assert_int_equal(fake_component(index_of("ping"))->handler.type, LIMPET_NONE);
}

/* Makes the booter's objects use all slots that an invocation can name, as in a large system. */
static void slots_use(void)
{
	booter.next_slot = SLOTS_INVOKED + 1;
}

/* Gates to the starts of components are in slots that can be invoked, for any number of used slots. */
static void test_many_slots(void **state)
{
	(void)state;
	load("build/systems/demo.limpet");
	fake_first_call = slots_use;
	boot_with(0, 3000);
	assert_string_equal(boot.printed, "");
	assert_int_equal(boot.end, DISPATCHED);
	assert_int_equal(boot.inits, header()->components - 1);
	assert_true(booter.root->component > SLOTS_INVOKED);
	for (uint32_t i = 1; i < header()->components; i++)
		check_component(i);
}

/*
 * The second of two components with the same role is reported. Without the first one the boot does
 * not start.
 */
static void test_roles(void **state)
{
	(void)state;
	load_family();
	change("pong")->flags = LIMPET_COMPONENT_SUPERVISOR;
	changed();
	boot_with(0, 3900);
	assert_int_equal(boot.end, STOPPED);
	assert_non_null(strstr(boot.printed,
			       "log and pong are both a supervisor, but a CPU can have only one"));
	assert_int_equal(boot.objects, 5);
}

static void test_damaged(void **state)
{
	(void)state;
	load("build/systems/ping.limpet");
	image[image_size / 2] ^= 1;
	boot_with(0, 3000);
	assert_int_equal(boot.end, STOPPED);
	assert_non_null(strstr(boot.printed, "booter: CPU 0: the image's crc"));
	assert_int_equal(boot.objects, 5); /* nothing was started */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_systems),	     cmocka_unit_test(test_frames),
		cmocka_unit_test(test_large_window), cmocka_unit_test(test_quota),
		cmocka_unit_test(test_threads),	     cmocka_unit_test(test_supervisor),
		cmocka_unit_test(test_many_slots),   cmocka_unit_test(test_roles),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
