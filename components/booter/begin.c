// SPDX-License-Identifier: BSD-2-Clause
/* The components' own code begins. */
#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include "booter.h"

/* Its start routine by invocation, on this thread: badge 0 says that it is to initialise itself. */
void part_init(const struct part *part)
{
	word gate = slot_take();
	long status = limpet_call_gate_create(part->component, part->record->entry, 0,
					      LIMPET_BOOT_TABLE, gate);

	if (status)
		give_up(part, "make a gate to its start", status);
	status = limpet_invoke(gate);
	if (status < 0)
		give_up(part, "initialise it", status);
	slot_drop(gate);
}

/* Its thread can be dispatched from now on. Events of the scheduler's own are nobody's business. */
void part_start(const struct part *part)
{
	bool scheduler = part == booter.scheduler;
	long status;

	if (!part->thread_id)
		return;
	status = limpet_call_thread_start(part->thread, part->component, part->record->entry, 1,
					  part->thread_id,
					  scheduler ? 0 : booter.scheduler->endpoint);
	if (!status)
		status = limpet_call_thread_urgency(part->thread,
						    scheduler ? LIMPET_URGENCY_MAX : 1);
	if (status)
		give_up(part, "start its thread", status);
}
