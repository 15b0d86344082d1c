// SPDX-License-Identifier: BSD-2-Clause
/* Restores a component's memory, and initialises the component. */
#include <runtime/memory.h>

#include <import/keeper.h>

#include "supervisor.h"

/* Last of the slots for gates to initialisation functions. Each thread uses an empty one. */
#define SLOT_LAST (LIMPET_SLOT_THREADS - 1)

/* Returns LIMPET_OK also if the component has no memory manager. */
static long served(long status)
{
	return status == LIMPET_ESLOT || status == LIMPET_ENOENT ? LIMPET_OK : status;
}

void checkpoint_take(struct supervised *supervised)
{
	word component = supervised->info->component;
	long status;

	if (supervised->record->restart != LIMPET_RESTART_CHECKPOINT || supervised->claimed)
		return;
	status = served(keeper_mark(component));
	if (status) {
		say("%s: no checkpoint of its memory: %s; it would begin from its image\n",
		    supervised->name, limpet_error_text(status));
		return;
	}
	memcpy((void *)supervised->info->kept, (void *)supervised->info->view,
	       supervised->info->size);
	supervised->kept = true;
}

/* Restores writable segments from the image, and sets the rest of them and the heap to zero. */
static void image_restore(const struct supervised *supervised)
{
	const char *image = (const char *)supervisor.image;
	const struct limpet_image_segment *s =
		(const void *)(image + supervisor.image->segments_at);
	char *view = (char *)supervised->info->view, *end = view + supervised->info->size;

	for (uint32_t i = 0; i < supervised->record->segments; i++) {
		const struct limpet_image_segment *segment = &s[supervised->record->segment + i];

		if (!(segment->rights & LIMPET_WRITE))
			continue;
		memcpy(view, image + segment->at, segment->file_size);
		memset(view + segment->file_size, 0, segment->size - segment->file_size);
		view += segment->size;
	}
	memset(view, 0, (size_t)(end - view));
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
	long status = can_restart(supervised) ? served(keeper_rollback(supervised->info->component))
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
	status = init_invoke(supervised);
	if (status)
		limpet_call_component_close(component);
	return status;
}
