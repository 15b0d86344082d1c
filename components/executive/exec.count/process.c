// SPDX-License-Identifier: BSD-2-Clause
/* The table of processes. An entry changes its owner only by compare and exchange. */
#include "count.h"

#include <runtime/memory.h>

#define THREADS 0xffffffffu /* bits of `owner` */
#define SHIFT 32

struct process processes[PROCESSES];
uint32_t left_out;

static bool owner_change(struct process *process, uint64_t *from, uint64_t to)
{
	return __atomic_compare_exchange_n(&process->owner, from, to, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE);
}

/* Adds a thread, unless the entry is of another process or of one that has ended. */
static bool process_join(struct process *process, uint32_t pid)
{
	uint64_t owner = __atomic_load_n(&process->owner, __ATOMIC_ACQUIRE);

	while (owner >> SHIFT == pid && (owner & THREADS))
		if (owner_change(process, &owner, owner + 1))
			return true;
	return false;
}

static bool process_take(struct process *process, uint32_t pid)
{
	uint64_t none = 0;

	return owner_change(process, &none, (uint64_t)pid << SHIFT | 1);
}

struct process *process_enter(uint32_t pid)
{
	for (struct process *process = processes; process < processes + PROCESSES; process++)
		if (process_join(process, pid))
			return process;
	for (struct process *process = processes; process < processes + PROCESSES; process++)
		if (process_take(process, pid) || process_join(process, pid))
			return process;
	__atomic_fetch_add(&left_out, 1, __ATOMIC_RELAXED);
	return NULL;
}

bool process_leave(struct process *process)
{
	return !(__atomic_sub_fetch(&process->owner, 1, __ATOMIC_ACQ_REL) & THREADS);
}

bool process_ended(const struct process *process)
{
	uint64_t owner = __atomic_load_n(&process->owner, __ATOMIC_ACQUIRE);

	return owner && !(owner & THREADS);
}

void process_free(struct process *process)
{
	memset(process->count, 0, sizeof(process->count));
	process->signals = 0;
	__atomic_store_n(&process->owner, 0, __ATOMIC_RELEASE);
}
