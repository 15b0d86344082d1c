// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mem_fake.h"

#include <runtime/kernel_call.h>
#include <sync/lock.h>

#include <export/faults.h>
#include <export/mem.h>
#include <import/next.h>
#include <import/parent.h>

#define PAGE 4096ul
#define TABLES ((PAGES + 511) / 512)

struct fake fake;
static struct limpet_info_memory memory[COMPONENTS];
const struct limpet_info __limpet_info = { .index = OWN,
					   .components = COMPONENTS,
					   .memory = (uint64_t)&memory };

/* Mappings by component, window and page: 1 + frame, and the rights. */
static struct entry {
	unsigned int frame, rights;
} entries[COMPONENTS][COMPONENTS][PAGES];
static bool window_there[COMPONENTS][COMPONENTS];
static bool table_there[COMPONENTS][COMPONENTS][TABLES];
/* Capabilities to the frames [first, first + count), or to a table. */
static struct slot {
	unsigned int type, first, count;
} slots[LIMPET_SLOT_COUNT], child_frames;
static int ram = -1;
static char *ram_at;

void lock_take(struct lock *lock)
{
	void (*before)(void) = fake.while_waiting;

	fake.while_waiting = NULL;
	if (before)
		before();
	assert_int_equal(lock->mutex.owner++, 0);
}

void lock_drop(struct lock *lock)
{
	assert_int_equal(--lock->mutex.owner, 0);
}

long next_handle(word kind, word address, word code, word ip, word thread, word component)
{
	(void)kind, (void)address, (void)code, (void)ip, (void)thread, (void)component;
	fake.next_calls++;
	return fake.next_status;
}

long parent_delegate(word pages)
{
	fake.parent_pages = pages;
	return fake.parent_status;
}

static struct entry *entry_at(unsigned int component, word address, bool *there)
{
	word window = limpet_window_owner(address), page = address % LIMPET_WINDOW_BYTES / PAGE;

	assert_true(component < COMPONENTS && window < COMPONENTS && page < PAGES);
	assert_int_equal(address % PAGE, 0);
	*there = table_there[component][window][page / 512];
	return &entries[component][window][page];
}

static bool level_make(unsigned int component, bool *there)
{
	if (!*there && !fake.spare[component])
		return false;
	fake.spare[component] -= !*there;
	*there = true;
	return true;
}

/*
 * Makes the required tables: one of the lowest level, and one above it for each window. Tables that
 * were made stay after a failure.
 */
static bool table_make(unsigned int component, word address)
{
	word window = limpet_window_owner(address), page = address % LIMPET_WINDOW_BYTES / PAGE;

	return level_make(component, &window_there[component][window]) &&
	       level_make(component, &table_there[component][window][page / 512]);
}

static void *view_of(unsigned int frame)
{
	return (void *)(limpet_window(OWN) + frame * PAGE);
}

static void view_set(unsigned int frame, bool seen)
{
	void *at = view_of(frame);
	void *got =
		seen ? mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, ram,
			    (off_t)(frame * PAGE))
		     : mmap(at, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	assert_ptr_equal(got, at);
	fake.view[frame] = seen;
}

static long map_one(unsigned int component, word address, unsigned int frame, unsigned int rights)
{
	bool there;
	struct entry *entry = entry_at(component, address, &there);

	assert_false(fake.kernel[frame]);
	if (component == OWN) {
		assert_ptr_equal(address, view_of(frame));
		view_set(frame, true);
		return LIMPET_OK;
	}
	if (!there && !table_make(component, address))
		return LIMPET_ENOMEM;
	assert_int_equal(entry->frame, 0);
	*entry = (struct entry){ frame + 1, rights };
	fake.uses[frame]++;
	return LIMPET_OK;
}

static long unmap_range(const word *in)
{
	unsigned int component = (unsigned int)(in[0] - LIMPET_SLOT_PAGE_TABLES);

	assert_true(in[2] && in[2] <= LIMPET_MAP_MAX);
	for (word i = 0; i < in[2]; i++) {
		word address = in[1] + i * PAGE;
		bool there;
		struct entry *entry = entry_at(component, address, &there);

		if (component == OWN)
			view_set((unsigned int)((address - limpet_window(OWN)) / PAGE), false);
		else if (entry->frame)
			fake.uses[entry->frame - 1]--;
		*entry = (struct entry){ 0, 0 };
	}
	return LIMPET_OK;
}

static long map_range(const word *in)
{
	unsigned int component = (unsigned int)(in[0] - LIMPET_SLOT_PAGE_TABLES);

	assert_int_equal(in[1], LIMPET_SLOT_FRAMES);
	assert_true(in[4] && in[4] <= LIMPET_MAP_MAX && in[2] + in[4] <= FRAMES);
	assert_true(in[5] == LIMPET_READ || in[5] == (LIMPET_READ | LIMPET_WRITE));
	if (fake.map_status)
		return fake.map_status;
	for (word i = 0; i < in[4]; i++) {
		long status = map_one(component, in[3] + i * PAGE, (unsigned int)(in[2] + i),
				      (unsigned int)in[5]);

		if (status) {
			if (i)
				unmap_range((const word[]){ in[0], in[3], i });
			return status;
		}
	}
	return LIMPET_OK;
}

static long extend(const word *in)
{
	unsigned int component = (unsigned int)(in[0] - LIMPET_SLOT_PAGE_TABLES);
	struct slot *from = &slots[in[1]];

	assert_int_equal(from->type, LIMPET_FRAMES);
	if (fake.no_extension)
		return LIMPET_EFULL;
	for (unsigned int i = from->first; i < from->first + from->count; i++) {
		if (fake.view[i] || fake.uses[i] || fake.kernel[i])
			return LIMPET_EBUSY;
		fake.kernel[i] = true;
		fake.spare[component]++;
	}
	fake.extensions[component]++;
	return LIMPET_OK;
}

static struct slot *slot_at(word table, word slot)
{
	if (table == LIMPET_SLOT_TABLE) {
		assert_true(slot < LIMPET_SLOT_COUNT);
		return &slots[slot];
	}
	assert_int_equal(table, LIMPET_SLOT_TABLES + CHILD);
	assert_int_equal(slot, LIMPET_SLOT_FRAMES);
	return &child_frames;
}

static long split(const word *in)
{
	struct slot *from = &slots[in[0]], *to = slot_at(in[2], in[3]);

	assert_int_equal(from->type, LIMPET_FRAMES);
	assert_int_equal(to->type, LIMPET_NONE);
	assert_true(in[1] && in[1] < from->count);
	*to = (struct slot){ LIMPET_FRAMES, from->first, (unsigned int)in[1] };
	from->first += (unsigned int)in[1];
	from->count -= (unsigned int)in[1];
	return LIMPET_OK;
}

static long move(const word *in, bool keep)
{
	struct slot *from = slot_at(in[0], in[1]), *to = slot_at(in[2], in[3]);

	assert_int_not_equal(from->type, LIMPET_NONE);
	assert_int_equal(to->type, LIMPET_NONE);
	*to = *from;
	if (!keep)
		*from = (struct slot){ 0 };
	return LIMPET_OK;
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	struct slot *slot;

	switch (LIMPET_CALL(0) - op) {
	case LIMPET_CALL_PT_MAP:
		return map_range(in);
	case LIMPET_CALL_PT_UNMAP:
		return unmap_range(in);
	case LIMPET_CALL_PT_EXTEND:
		return extend(in);
	case LIMPET_CALL_FRAME_SPLIT:
		return split(in);
	case LIMPET_CALL_CAP_COPY:
		return move(in, true);
	case LIMPET_CALL_CAP_MOVE:
		return move(in, false);
	case LIMPET_CALL_CAP_DELETE:
		slot = slot_at(in[0], in[1]);
		if (!slot->type)
			return LIMPET_ESLOT;
		*slot = (struct slot){ 0 };
		return LIMPET_OK;
	}
	assert_int_equal(op, LIMPET_CALL(LIMPET_CALL_CAP_INFO));
	if (in[0] != LIMPET_SLOT_TABLE && in[0] != LIMPET_SLOT_TABLES + CHILD)
		return LIMPET_ESLOT;
	slot = slot_at(in[0], in[1]);
	*out = (struct limpet_out){ slot->type, LIMPET_ALL, slot->count };
	return slot->type ? LIMPET_OK : LIMPET_ESLOT;
}

unsigned int fake_rights(unsigned int component, word address)
{
	bool there;

	return entry_at(component, address & ~(PAGE - 1), &there)->rights;
}

void *fake_memory(unsigned int component, word address)
{
	bool there;
	struct entry *entry = entry_at(component, address & ~(PAGE - 1), &there);

	return entry->frame ? ram_at + (entry->frame - 1) * PAGE + address % PAGE : NULL;
}

bool fake_touch(unsigned int component, word address, bool write)
{
	unsigned int need = write ? LIMPET_READ | LIMPET_WRITE : LIMPET_READ;

	for (unsigned int again = 0; again < 2; again++) {
		unsigned int rights = fake_rights(component, address);

		if ((rights & need) == need)
			return true;
		if (faults_serve_handle(component + 1, 14, address,
					(rights != 0) | (write ? 2 : 0) | 4, 0x1000, 5, component))
			return false;
	}
	fail_msg("a fault was repaired, but comes again");
	return false;
}

unsigned int fake_frames_used(void)
{
	unsigned int used = 0;

	for (unsigned int i = 0; i < FRAMES; i++)
		used += fake.uses[i] || fake.kernel[i];
	return used;
}

unsigned int fake_slots_used(void)
{
	unsigned int used = 0;

	for (unsigned int i = LIMPET_SLOT_FREE; i < LIMPET_SLOT_PAGE_TABLES; i++)
		used += slots[i].type != LIMPET_NONE;
	return used;
}

static void ram_make(void)
{
	void *view = view_of(0);

	if (ram >= 0)
		return;
	ram = memfd_create("ram", 0);
	assert_int_equal(ftruncate(ram, FRAMES * PAGE), 0);
	ram_at = mmap(NULL, FRAMES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ram, 0);
	assert_ptr_equal(mmap(view, FRAMES * PAGE, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0),
			 view);
}

void fake_end(void)
{
	for (word component = 1; component < COMPONENTS; component++)
		for (word page = 0; page < PAGES; page++)
			mem_serve_revoke(component + 1,
					 limpet_window((uint32_t)component) + page * PAGE, 0);
}

long fake_boot(uint32_t quota)
{
	ram_make();
	memset(ram_at, 0xdb, FRAMES * PAGE);
	memset(&fake, 0, sizeof(fake));
	memset(entries, 0, sizeof(entries));
	memset(window_there, 0, sizeof(window_there));
	memset(table_there, 0, sizeof(table_there));
	memset(slots, 0, sizeof(slots));
	memset(&child_frames, 0, sizeof(child_frames));
	memset(&memory, 0, sizeof(memory));
	fake.next_status = LIMPET_ECRASH;
	fake.parent_status = LIMPET_ESLOT;
	slots[LIMPET_SLOT_TABLE] = (struct slot){ .type = LIMPET_TABLE };
	slots[LIMPET_SLOT_FRAMES] = (struct slot){ LIMPET_FRAMES, 0, FRAMES };
	slots[LIMPET_SLOT_TABLES + CHILD] = (struct slot){ .type = LIMPET_TABLE };
	for (unsigned int i = 1; i < COMPONENTS; i++) {
		slots[LIMPET_SLOT_PAGE_TABLES + i] = (struct slot){ .type = LIMPET_PAGE_TABLE };
		memory[i].quota = quota;
		window_there[i][i] = table_there[i][i][0] = true; /* enough for the quota */
	}
	return component_init(limpet_info());
}
