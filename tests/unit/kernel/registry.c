// SPDX-License-Identifier: GPL-2.0
/*
 * Records the kernel's objects at the calls between its files (ld --wrap). Free frames are
 * poisoned, so that AddressSanitizer detects each use of a deleted object.
 */
#include <sanitizer/asan_interface.h>

#include "machine.h"

#define ENTRIES_MAX 8192

struct entry registry[ENTRIES_MAX];
unsigned int registry_count;

struct object *__real_table_create(void *memory, word bytes);
struct object *__real_page_table_create(struct cpu *c, void *memory);
struct object *__real_component_create(void *memory);
struct object *__real_thread_create(void *memory, word bytes);
struct object *__real_endpoint_create(void *memory);
bool __real_frames_take(struct frame_pool *pool, word first, word count);
void __real_frames_release(struct frame_pool *pool, word first, word count);

struct object *__wrap_table_create(void *memory, word bytes);
struct object *__wrap_page_table_create(struct cpu *c, void *memory);
struct object *__wrap_component_create(void *memory);
struct object *__wrap_thread_create(void *memory, word bytes);
struct object *__wrap_endpoint_create(void *memory);
bool __wrap_frames_take(struct frame_pool *pool, word first, word count);
void __wrap_frames_release(struct frame_pool *pool, word first, word count);

void frames_poison(word first, word count)
{
	ASAN_POISON_MEMORY_REGION(frame_memory(machine.pool, first), count * LIMPET_PAGE);
}

/* Returns the bytes of whole units, like the kernel. */
static word units_of(word bytes)
{
	return (bytes + LIMPET_OBJECT_ALIGN - 1) / LIMPET_OBJECT_ALIGN * LIMPET_OBJECT_ALIGN;
}

/* Records an object that was created, or poisons its memory again if the creation failed. */
static struct object *entered(struct object *object, void *memory, word type, word bytes)
{
	const word first = frame_of(machine.pool, memory);

	if (!object) {
		ASAN_POISON_MEMORY_REGION(memory, units_of(bytes));
		return NULL;
	}
	assert_true(registry_count < ENTRIES_MAX);
	registry[registry_count++] = (struct entry){
		.object = object,
		.type = type,
		.first = first,
		.bytes = units_of(bytes),
		.packed = machine.pool->state[first] != FRAME_KERNEL,
	};
	return object;
}

static void *unpoisoned(void *memory, word bytes)
{
	ASAN_UNPOISON_MEMORY_REGION(memory, units_of(bytes));
	return memory;
}

void registry_clear(void)
{
	registry_count = 0;
}

bool registry_has(const void *object, word type)
{
	for (unsigned int i = 0; i < registry_count; i++)
		if (registry[i].object == object)
			return !type || registry[i].type == type;
	return false;
}

struct object *__wrap_table_create(void *memory, word bytes)
{
	return entered(__real_table_create(unpoisoned(memory, bytes), bytes), memory, LIMPET_TABLE,
		       bytes);
}

struct object *__wrap_page_table_create(struct cpu *c, void *memory)
{
	const word bytes = LIMPET_PAGE_TABLE_SIZE;

	return entered(__real_page_table_create(c, unpoisoned(memory, bytes)), memory,
		       LIMPET_PAGE_TABLE, bytes);
}

struct object *__wrap_component_create(void *memory)
{
	const word bytes = LIMPET_COMPONENT_SIZE;

	return entered(__real_component_create(unpoisoned(memory, bytes)), memory, LIMPET_COMPONENT,
		       bytes);
}

struct object *__wrap_thread_create(void *memory, word bytes)
{
	return entered(__real_thread_create(unpoisoned(memory, bytes), bytes), memory,
		       LIMPET_THREAD, bytes);
}

struct object *__wrap_endpoint_create(void *memory)
{
	const word bytes = LIMPET_ENDPOINT_SIZE;

	return entered(__real_endpoint_create(unpoisoned(memory, bytes)), memory, LIMPET_ENDPOINT,
		       bytes);
}

bool __wrap_frames_take(struct frame_pool *pool, word first, word count)
{
	bool taken = __real_frames_take(pool, first, count);

	if (taken)
		unpoisoned(frame_memory(pool, first), count * LIMPET_PAGE);
	return taken;
}

/* Checks that frames of deleted objects are zeroed. */
static void zeros_check(const struct frame_pool *pool, word first, word count)
{
	const word *words = frame_memory(pool, first);

	for (word i = 0; i < count * LIMPET_PAGE / sizeof(word); i++)
		if (words[i])
			fail_msg("frame %lu of an object that is gone holds %#lx",
				 first + i * sizeof(word) / LIMPET_PAGE, words[i]);
}

static bool overlap(const struct entry *e, const u8 *memory, word bytes)
{
	const u8 *object = (const u8 *)e->object;

	return object < memory + bytes && memory < object + e->bytes;
}

/* Other objects can remain in a packed frame. A deleted object has no type. */
void __wrap_frames_release(struct frame_pool *pool, word first, word count)
{
	u8 *memory = unpoisoned(frame_memory(pool, first), count * LIMPET_PAGE);

	__real_frames_release(pool, first, count);
	for (unsigned int i = 0; i < registry_count; i++)
		if (registry[i].first == first && !registry[i].object->type)
			registry[i--] = registry[--registry_count];
	for (word i = first; i < first + count; i++)
		if (!pool->state[i])
			zeros_check(pool, i, 1);
	frames_poison(first, count);
	for (unsigned int i = 0; i < registry_count; i++)
		if (overlap(&registry[i], memory, count * LIMPET_PAGE))
			unpoisoned(registry[i].object, registry[i].bytes);
}
