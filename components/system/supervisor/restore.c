// SPDX-License-Identifier: BSD-2-Clause
/* What a component's memory is to be, and its initialisation. */
#include <runtime/memory.h>

#include <import/keeper.h>

#include "supervisor.h"

/* Slots for gates to what begins a component; threads take those that they find empty. */
#define SLOT_LAST (LIMPET_SLOT_RESOURCES - 1)

/* No memory manager, or one that does not serve the component, is no error. */
static long served(long status)
{
	return status == LIMPET_ESLOT || status == LIMPET_ENOENT ? LIMPET_OK : status;
}

void checkpoint_take(struct ward *ward)
{
	word component = ward->info->component;
	long status;

	if (ward->record->restart != LIMPET_RESTART_CHECKPOINT || ward->claimed)
		return;
	status = served(keeper_mark(component));
	if (status) {
		say("%s: no checkpoint of its memory: %s; it would begin from its image\n",
		    ward->name, limpet_error_text(status));
		return;
	}
	memcpy((void *)ward->info->kept, (void *)ward->info->view, ward->info->size);
	ward->kept = true;
}

/* Writable segments as the image has them, zeros behind; the heap is zero. */
static void image_restore(const struct ward *ward)
{
	const char *image = (const char *)supervisor.image;
	const struct limpet_image_segment *s =
		(const void *)(image + supervisor.image->segments_at);
	char *view = (char *)ward->info->view, *end = view + ward->info->size;

	for (uint32_t i = 0; i < ward->record->segments; i++) {
		const struct limpet_image_segment *segment = &s[ward->record->segment + i];

		if (!(segment->rights & LIMPET_WRITE))
			continue;
		memcpy(view, image + segment->at, segment->file_size);
		memset(view + segment->file_size, 0, segment->size - segment->file_size);
		view += segment->size;
	}
	memset(view, 0, (size_t)(end - view));
}

/* Its start routine by invocation, as the booter does it. */
static long init_invoke(const struct ward *ward)
{
	word component = LIMPET_SLOT_COMPONENTS + ward->info->component, slot = LIMPET_SLOT_FREE;
	long status;

	do
		status = limpet_call_gate_create(component, ward->record->entry, 0,
						 LIMPET_SLOT_TABLE, slot++);
	while (status == LIMPET_EFULL && slot <= SLOT_LAST);
	if (status)
		return status;
	status = limpet_invoke(--slot);
	while (limpet_call_cap_delete(LIMPET_SLOT_TABLE, slot) == LIMPET_EAGAIN)
		;
	return status < 0 ? status : LIMPET_OK;
}

static bool from_checkpoint(const struct ward *ward)
{
	return ward->kept && ward->record->restart == LIMPET_RESTART_CHECKPOINT;
}

/* What only its threads knew is gone with them: other components' state depends on it. */
static bool can_begin_anew(const struct ward *ward)
{
	return !(ward->record->flags & (LIMPET_COMPONENT_SCHEDULER | LIMPET_COMPONENT_MEMORY));
}

long ward_restore(struct ward *ward)
{
	word component = LIMPET_SLOT_COMPONENTS + ward->info->component;
	long status = can_begin_anew(ward) ? served(keeper_rollback(ward->info->component))
					   : LIMPET_ESTATE;

	if (status)
		return status;
	if (from_checkpoint(ward))
		memcpy((void *)ward->info->view, (void *)ward->info->kept, ward->info->size);
	else
		image_restore(ward);
	status = limpet_call_component_open(component);
	if (status || from_checkpoint(ward))
		return status;
	status = init_invoke(ward);
	if (status)
		limpet_call_component_close(component);
	return status;
}
