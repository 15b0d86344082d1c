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
	assert_int_equal(info->threads, booter.threads);
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

static void check_rights(const struct fake_object *c, const struct limpet_image_component *record)
{
	uint32_t flags = record->flags;

	assert_true(has(c, LIMPET_SLOT_TABLE));
	assert_int_equal(has(c, LIMPET_SLOT_ENDPOINT), record->priority != 0);
	assert_int_equal(has(c, LIMPET_SLOT_CPU),
			 (flags & (LIMPET_COMPONENT_SCHEDULER | LIMPET_COMPONENT_CPU)) != 0);
	assert_int_equal(has(c, LIMPET_SLOT_FRAMES), (flags & LIMPET_COMPONENT_MEMORY) != 0);
	assert_int_equal(has(c, LIMPET_SLOT_CHANNEL), (flags & LIMPET_COMPONENT_CONSOLE) != 0);
	for (unsigned int id = 0; id < LIMPET_THREADS_MAX; id++)
		assert_int_equal(has(c, LIMPET_SLOT_THREADS + id),
				 flags & LIMPET_COMPONENT_SCHEDULER && id && id <= booter.threads);
	for (unsigned int i = 0; i < LIMPET_COMPONENTS_MAX; i++)
		assert_int_equal(has(c, LIMPET_SLOT_PAGE_TABLES + i),
				 flags & LIMPET_COMPONENT_MEMORY && part_at(i) &&
					 part_at(i)->window);
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
static void check_pool(const struct fake_object *c, bool window)
{
	const struct fake_object *pt = &boot.object[c->page_table];

	assert_in_range(pt->used, 1, pt->pool);
	assert_int_equal(pt->pool - pt->used, window ? 3 : 0);
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
	check_pool(c, part_at(index)->window);
}

static void check_threads(void)
{
	unsigned int threads = 0;

	for (unsigned int i = 1; i <= boot.objects; i++) {
		const struct fake_object *t = &boot.object[i];
		const struct limpet_image_component *record;

		if (t->type != LIMPET_THREAD || !t->component)
			continue;
		record = record_of((uint32_t)boot.object[t->component].index);
		assert_int_equal(t->id, ++threads);
		assert_int_equal(t->entry, record->entry);
		assert_int_equal(t->argument, 1);
		if (record->flags & LIMPET_COMPONENT_SCHEDULER) {
			assert_int_equal(t->endpoint, 0);
			assert_int_equal(t->urgency, LIMPET_URGENCY_MAX);
		} else {
			assert_int_equal(boot.object[t->endpoint].type, LIMPET_ENDPOINT);
			assert_int_equal(t->urgency, 1);
		}
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
	assert_true(record_of((uint32_t)boot.dispatched)->flags & LIMPET_COMPONENT_SCHEDULER);
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

/* The plan knows how many frames it takes, to the last one. */
static void test_frames(void **state)
{
	word missing, needed;
	static const char *const systems[] = { "ping", "demo", "hog", "idle", "two-cpus" };

	(void)state;
	for (unsigned int i = 0; i < array_size(systems); i++) {
		char path[60];

		snprintf(path, sizeof(path), "build/systems/%s.limpet", systems[i]);
		load(path);
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

/* Sets a number among the arguments of all components, and the check sum right again. */
static void arg_set(const char *name, int64_t number)
{
	struct limpet_image_arg *arg = (struct limpet_image_arg *)(image + header()->args_at);

	for (uint32_t i = 0; i < header()->args; i++)
		if (strcmp(image + header()->strings_at + arg[i].name, name) == 0)
			arg[i].number = number;
	((struct limpet_image *)image)->crc = limpet_image_crc(image, (uint64_t)size);
}

/* More page tables than one kernel object holds: 512 of the lowest level for each window. */
static void test_large_window(void **state)
{
	unsigned int windows = 0;

	(void)state;
	load("build/systems/demo.limpet");
	arg_set("quota-pages", LIMPET_WINDOW_BYTES / LIMPET_PAGE);
	boot_with(0, 3900);
	assert_int_equal(boot.end, DISPATCHED);
	for (uint32_t i = 0; i < booter.parts; i++) {
		const struct fake_object *c = fake_component(booter.part[i].index);
		const struct fake_object *pt = &boot.object[c->page_table];

		windows += booter.part[i].window != 0;
		assert_int_equal(pt->pool - pt->used, booter.part[i].window ? 512 + 2 : 0);
	}
	assert_int_equal(windows, 2); /* mem and hog */
	arg_set("quota-pages", LIMPET_WINDOW_BYTES / LIMPET_PAGE + 1);
	boot_with(0, 3900);
	assert_non_null(strstr(boot.printed, "mem: quota-pages is above 262144"));
	arg_set("quota-pages", -1);
	boot_with(0, 3900);
	assert_int_equal(boot.end, STOPPED);
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
		cmocka_unit_test(test_systems),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_large_window),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
