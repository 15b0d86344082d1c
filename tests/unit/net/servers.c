// SPDX-License-Identifier: BSD-2-Clause
/* Simulates the kernel, the scheduler and the memory manager for the components. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <runtime/kernel_call.h>
#include <sync/lock.h>

#include <import/memory.h>
#include <import/sched.h>

#include "parts.h"

uint64_t servers_resumed;
word servers_waits[64];

static uint64_t seed;
static void *memory[64]; /* memory of the components */
static unsigned int given;

void servers_begin(void)
{
	servers_resumed = 0;
	memset(servers_waits, 0, sizeof(servers_waits));
	world_seed(1);
}

void servers_end(void)
{
	while (given)
		free(memory[--given]);
}

uint64_t limpet_time(void)
{
	return now;
}

unsigned int limpet_thread_id(void)
{
	return current;
}

void limpet_print(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vfprintf(stderr, format, values);
	va_end(values);
}

uint32_t world_random(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)((seed * 0x2545f4914f6cdd1dul) >> 32);
}

void world_seed(uint64_t value)
{
	seed = value * 2 + 1;
}

uint32_t port_random(void)
{
	return world_random();
}

void lock_take(struct lock *lock)
{
	assert_int_equal(lock->mutex.owner, 0);
	lock->mutex.owner = 1;
}

void lock_drop(struct lock *lock)
{
	assert_int_equal(lock->mutex.owner, 1);
	lock->mutex.owner = 0;
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	*out = (struct limpet_out){ 0 };
	if (op == LIMPET_CALL(LIMPET_CALL_CAP_INFO)) {
		word component = in[1] - LIMPET_SLOT_COMPONENTS;

		assert_in_range(component, 1, COMPONENTS - 1);
		out->w2 = world.stops[component] | (world.closed[component] ? LIMPET_CLOSED : 0);
		return LIMPET_OK;
	}
	assert_true(op == LIMPET_CALL(LIMPET_CALL_CHANNEL_NOTIFY) ||
		    op == LIMPET_CALL(LIMPET_CALL_CHANNEL_STATE));
	return LIMPET_OK;
}

long memory_allocate(word pages, word *address)
{
	void *at;

	if (!world.allocations)
		return LIMPET_EQUOTA;
	world.allocations--;
	at = calloc(pages, LIMPET_PAGE);
	assert_true(given < sizeof(memory) / sizeof(memory[0]));
	memory[given++] = at;
	*address = (word)at;
	return LIMPET_OK;
}

long memory_grant(word address, word component, word rights)
{
	assert_true(address && rights == (LIMPET_READ | LIMPET_WRITE));
	world.grants++;
	return component == 5 ? LIMPET_ENOENT : LIMPET_OK; /* one without a memory manager */
}

long memory_free(word address)
{
	unsigned int i = 0;

	while (i < given && memory[i] != (void *)address)
		i++;
	assert_int_not_equal(i, given);
	memory[i] = memory[--given];
	world.freed++;
	free((void *)address);
	return LIMPET_OK;
}

long sched_create(word entry, word argument, word priority)
{
	(void)entry, (void)argument, (void)priority;
	return 30;
}

/* A resumed thread that waits for the lock lends its priority to the caller, so the caller must hold the lock. */
static void lock_expect(void)
{
	assert_true((a.library && a.core_lock->mutex.owner) ||
		    (b.library && b.core_lock->mutex.owner));
}

long sched_wake(word thread)
{
	lock_expect();
	return thread == 30 ? LIMPET_OK : LIMPET_ENOENT;
}

long sched_block_until(word deadline)
{
	(void)deadline;
	return LIMPET_OK;
}

long sched_resume(word thread)
{
	servers_resumed |= 1ul << thread;
	return LIMPET_OK;
}

long sched_resume_on(word object)
{
	(void)object;
	return LIMPET_OK;
}

long sched_resume_all(word object)
{
	long status = LIMPET_ENOENT;

	lock_expect();
	for (unsigned int id = 0; id < sizeof(servers_waits) / sizeof(*servers_waits); id++) {
		if (servers_waits[id] != object)
			continue;
		servers_waits[id] = 0;
		servers_resumed |= 1ul << id;
		world.woken++;
		status = LIMPET_OK;
	}
	return status;
}

void *world_piece(size_t size)
{
	world.pieces++;
	return malloc(size);
}

void world_piece_end(void *piece)
{
	world.pieces--;
	free(piece);
}
