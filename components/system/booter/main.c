// SPDX-License-Identifier: BSD-2-Clause
/*
 * Builds a CPU's part of a system. The booter keeps all capabilities that it created. Those of the
 * components are derived from them, so deleting the booter's would delete them, too. The booter
 * never runs again.
 */
#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include "booter.h"

/* Address of the booter's own tables. */
#define OWN 0x7d0000000000ul

_Noreturn void booter_main(uint64_t image, uint64_t size, uint32_t cpu, uint32_t cpus,
			   uint64_t ticks_per_ms, uint64_t frames);

static void each(void (*step)(const struct part *part))
{
	for (uint32_t i = 0; i < booter.parts; i++)
		step(&booter.part[i]);
}

static void build(void)
{
	for (uint32_t i = 0; i < booter.parts; i++)
		part_build(&booter.part[i]);
}

/* Gives all remaining frames to the memory manager. */
static void give_frames(void)
{
	long status;

	if (!booter.memory)
		return;
	status = limpet_call_cap_move(LIMPET_BOOT_TABLE, LIMPET_BOOT_FRAMES, booter.memory->table,
				      LIMPET_SLOT_FRAMES);
	if (status)
		give_up(booter.memory, "assign the free frames to it", status);
}

void booter_main(uint64_t image, uint64_t size, uint32_t cpu, uint32_t cpus, uint64_t ticks_per_ms,
		 uint64_t frames)
{
	booter.cpu = cpu;
	booter.cpus = cpus;
	booter.ticks_per_ms = ticks_per_ms;
	booter.frames = frames;
	booter.next_slot = SLOT_START + 1;
	booter.own_begin = booter.own = booter.own_end = OWN;
	image_open(image, size);
	plan();
	build();
	threads_inform();
	each(part_fill);
	stacks_fill();
	each(part_inform);
	each(part_give);
	resources_give();
	each(part_wire);
	give_frames();
	each(part_init);
	each(part_take_stack);
	each(part_handle);
	each(part_start);
	each(part_start_spares);
	limpet_call_thread_dispatch(booter.root->thread, 0);
	give_up_text("the scheduler has returned");
}
