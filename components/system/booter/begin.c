// SPDX-License-Identifier: BSD-2-Clause
/* Starts the code of the components. */
#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include "booter.h"

/* Values of rax at __limpet_start, see lib/runtime/start.S. */
#define START_OWN 1
#define START_SPARE 2

/* Initialises a component: invokes its start routine on the booter's thread, with badge 0. */
void part_init(const struct part *part)
{
	long status = limpet_call_gate_create(part->component, part->record->entry, 0,
					      LIMPET_BOOT_TABLE, SLOT_START);

	if (status)
		give_up(part, "create the gate to its start", status);
	status = limpet_invoke(SLOT_START);
	if (status < 0)
		give_up(part, "initialise it", status);
	slot_empty(SLOT_START);
}

/* Makes thread `id` ready to be dispatched. It starts with rax = how. */
static void thread_start(const struct part *part, uint32_t id, word how)
{
	const struct part *scheduler = part->scheduler;
	long status = limpet_call_thread_start(booter.thread[id], part->component,
					       part->record->entry, how, id,
					       scheduler ? scheduler->endpoint : 0);

	if (status)
		give_up(part, "start its thread", status);
}

/*
 * Starts the component's own thread. The root scheduler's thread gets the highest urgency, so no
 * event preempts it.
 */
void part_start(const struct part *part)
{
	long status = LIMPET_OK;

	if (!part->thread_id)
		return;
	thread_start(part, part->thread_id, START_OWN);
	if (part == booter.root)
		status = limpet_call_thread_urgency(part->thread, LIMPET_URGENCY_MAX);
	if (status)
		give_up(part, "raise the urgency of its thread", status);
}

/* Starts the spare threads. They wait in the scheduler until a thread is created from one. */
void part_start_spares(const struct part *part)
{
	for (uint32_t i = 0; i < part->record->threads; i++)
		thread_start(part, part->spare_id + i, START_SPARE);
}
