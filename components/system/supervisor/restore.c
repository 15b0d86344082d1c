// SPDX-License-Identifier: BSD-2-Clause
/* Restores a component's memory, and initialises the component. */
#include <runtime/memory.h>

#include <import/keeper.h>
#include <import/sched.h>

#include "supervisor.h"

/* Last of the slots for gates to initialisation functions. Each thread uses an empty one. */
#define SLOT_LAST (LIMPET_SLOT_THREADS - 1)

/* Returns LIMPET_OK also if the component has no memory manager. */
static long served(long status)
{
	return status == LIMPET_ESLOT || status == LIMPET_ENOENT ? LIMPET_OK : status;
}

static void checkpoint_make(struct supervised *supervised)
{
	long status = served(keeper_mark(supervised->info->component));

	if (status) {
		say("%s: its memory was not saved: %s. After a crash it starts from its image.\n",
		    supervised->name, limpet_error_text(status));
		return;
	}
	memcpy((void *)supervised->info->kept, (void *)supervised->info->view,
	       supervised->info->size);
	supervised->kept = true;
}

void checkpoint_take(struct supervised *supervised)
{
	if (supervised->record->restart == LIMPET_RESTART_CHECKPOINT && !supervised->claimed)
		checkpoint_make(supervised);
}

/* Takes a new checkpoint of an open component whose threads do not run. Aborts calls inside it. */
static long checkpoint_retake(struct supervised *supervised)
{
	word component = LIMPET_SLOT_COMPONENTS + supervised->info->component;

	if (supervised->record->restart != LIMPET_RESTART_CHECKPOINT)
		return LIMPET_OK;
	limpet_call_component_close(component);
	checkpoint_make(supervised);
	return limpet_call_component_open(component);
}

/* Restores the writable segments of the running build, and sets the heap to zero. */
static void image_restore(const struct supervised *supervised)
{
	char *view = (char *)supervised->info->view, *end = view + supervised->info->size;

	if (is_replaceable(supervised)) {
		memcpy(view, build_data(supervised), build_part(supervised));
		view += build_part(supervised);
	} else {
		view = image_data(supervised, view);
	}
	memset(view, 0, (size_t)(end - view));
}

/* Swaps the builds. Discards the memory manager's mark, because it belongs to the old build. */
static void supervised_swap(struct supervised *supervised)
{
	if (!supervised->swap)
		return;
	keeper_forget(supervised->info->component);
	supervised->swap = supervised->kept = false;
	build_swap(supervised);
}

/* Invokes the start routine of a component, as the booter does. */
static long init_invoke(const struct supervised *supervised)
{
	word component = LIMPET_SLOT_COMPONENTS + supervised->info->component,
	     slot = LIMPET_SLOT_GATES;
	long status;

	do
		status = limpet_call_gate_create(component, supervised->record->entry, 0,
						 LIMPET_SLOT_TABLE, slot++);
	while (status == LIMPET_EFULL && slot <= SLOT_LAST);
	if (status)
		return status;
	status = limpet_invoke(--slot);
	while (limpet_call_cap_delete(LIMPET_SLOT_TABLE, slot) == LIMPET_EAGAIN)
		;
	return status < 0 ? status : LIMPET_OK;
}

/*
 * Initialises a component. The supervisor's own thread does this at the component's priority, or at the lowest one if
 * the component has no thread, so that it does not delay threads of higher priority. It inherits a waiter's priority.
 */
static long component_initialise(const struct supervised *supervised)
{
	const word own = limpet_info()->thread, priority = supervised->record->priority;
	long before = limpet_thread_id() == own ? sched_priority(own, priority ? priority : 1) : 0;
	long status = init_invoke(supervised);

	if (before > 0)
		sched_priority(own, (word)before);
	return status;
}

static bool from_checkpoint(const struct supervised *supervised)
{
	return supervised->kept && supervised->record->restart == LIMPET_RESTART_CHECKPOINT;
}

/* Returns false for components that lose state of other components when their threads die. */
static bool can_restart(const struct supervised *supervised)
{
	return !(supervised->record->flags &
		 (LIMPET_COMPONENT_SCHEDULER | LIMPET_COMPONENT_MEMORY));
}

long supervised_restore(struct supervised *supervised)
{
	word component = LIMPET_SLOT_COMPONENTS + supervised->info->component;
	long status;

	supervised_swap(supervised);
	status = can_restart(supervised) ? served(keeper_rollback(supervised->info->component))
					 : LIMPET_ESTATE;

	if (status)
		return status;
	if (from_checkpoint(supervised))
		memcpy((void *)supervised->info->view, (void *)supervised->info->kept,
		       supervised->info->size);
	else
		image_restore(supervised);
	status = limpet_call_component_open(component);
	if (status || from_checkpoint(supervised))
		return status;
	status = component_initialise(supervised);
	if (!status && is_replaceable(supervised))
		status = checkpoint_retake(supervised);
	if (status)
		limpet_call_component_close(component);
	return status;
}
