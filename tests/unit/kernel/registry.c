// SPDX-License-Identifier: GPL-2.0
/*
 * Which objects the kernel has, seen at the calls between its files (ld --wrap). Free frames are
 * poisoned, so that AddressSanitizer finds each use of an object that is gone.
 */
#include <sanitizer/asan_interface.h>

#include "machine.h"

#define ENTRIES_MAX 8192

struct entry registry[ENTRIES_MAX];
unsigned int registry_count;

struct table *__real_table_create(void *memory, unsigned int frames);
struct object *__real_page_table_create(struct cpu *c, void *memory, word frames);
struct object *__real_component_create(void *memory);
struct object *__real_thread_create(void *memory, word bytes, word depth);
struct object *__real_endpoint_create(void *memory);
bool __real_frames_take(struct frame_pool *pool, word first, word count);
void __real_frames_release(struct frame_pool *pool, word first, word count);

struct table *__wrap_table_create(void *memory, unsigned int frames);
struct object *__wrap_page_table_create(struct cpu *c, void *memory, word frames);
struct object *__wrap_component_create(void *memory);
struct object *__wrap_thread_create(void *memory, word bytes, word depth);
struct object *__wrap_endpoint_create(void *memory);
bool __wrap_frames_take(struct frame_pool *pool, word first, word count);
void __wrap_frames_release(struct frame_pool *pool, word first, word count);

void frames_poison(word first, word count)
{
	ASAN_POISON_MEMORY_REGION(frame_memory(machine.pool, first), count * LIMPET_PAGE);
}

static void frames_unpoison(void *memory, word count)
{
	ASAN_UNPOISON_MEMORY_REGION(memory, count * LIMPET_PAGE);
}

static void enter(void *memory, word type, word frames)
{
	assert_true(registry_count < ENTRIES_MAX);
	registry[registry_count++] = (struct entry){
		.object = memory,
		.type = type,
		.first = frame_of(machine.pool, memory),
		.frames = frames,
	};
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

struct table *__wrap_table_create(void *memory, unsigned int frames)
{
	frames_unpoison(memory, frames);
	enter(memory, LIMPET_TABLE, frames);
	return __real_table_create(memory, frames);
}

struct object *__wrap_page_table_create(struct cpu *c, void *memory, word frames)
{
	struct object *object;

	frames_unpoison(memory, frames);
	object = __real_page_table_create(c, memory, frames);
	if (object)
		enter(memory, LIMPET_PAGE_TABLE, frames);
	else
		frames_poison(frame_of(machine.pool, memory), frames);
	return object;
}

struct object *__wrap_component_create(void *memory)
{
	frames_unpoison(memory, 1);
	enter(memory, LIMPET_COMPONENT, 1);
	return __real_component_create(memory);
}

struct object *__wrap_thread_create(void *memory, word bytes, word depth)
{
	struct object *object;

	frames_unpoison(memory, bytes / LIMPET_PAGE);
	object = __real_thread_create(memory, bytes, depth);
	if (object)
		enter(memory, LIMPET_THREAD, bytes / LIMPET_PAGE);
	else
		frames_poison(frame_of(machine.pool, memory), bytes / LIMPET_PAGE);
	return object;
}

struct object *__wrap_endpoint_create(void *memory)
{
	frames_unpoison(memory, 1);
	enter(memory, LIMPET_ENDPOINT, 1);
	return __real_endpoint_create(memory);
}

bool __wrap_frames_take(struct frame_pool *pool, word first, word count)
{
	bool taken = __real_frames_take(pool, first, count);

	if (taken)
		frames_unpoison(frame_memory(pool, first), count);
	return taken;
}

/* Frames that were kernel memory hold nothing of it any more. */
static void zeros_check(const struct frame_pool *pool, word first, word count)
{
	const word *words = frame_memory(pool, first);

	for (word i = 0; i < count * LIMPET_PAGE / sizeof(word); i++)
		if (words[i])
			fail_msg("frame %lu of an object that is gone holds %#lx",
				 first + i * sizeof(word) / LIMPET_PAGE, words[i]);
}

void __wrap_frames_release(struct frame_pool *pool, word first, word count)
{
	__real_frames_release(pool, first, count);
	zeros_check(pool, first, count);
	frames_poison(first, count);
	for (unsigned int i = 0; i < registry_count; i++)
		if (registry[i].first == first)
			registry[i--] = registry[--registry_count];
}
