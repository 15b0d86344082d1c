/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places a system in contiguous memory, and prepares the kernels of its CPUs. A host calls these
 * functions after it has checked the image, and before the first kernel_resume().
 */
#ifndef KERNEL_SETUP_H
#define KERNEL_SETUP_H

#include <kernel/boot.h>

#define SETUP_STACK_PAGES 4

/*
 * Sets the layout: [the host's page] [per CPU: struct cpu, stack] [per CPU: trace] [frame states]
 * [image] [per CPU: frames]. The number of a frame is its distance from the start of the memory.
 * The frames before the image always belong to the kernel.
 */
void setup_layout(struct setup *setup);

/*
 * Builds the pool and the CPUs in `memory`: zeroed, page aligned, setup->end pages of 4 KiB, with the
 * image in place. Sets all[0] to all[setup->cpus - 1]. Returns setup->cpus, or the number of a CPU whose
 * frames do not suffice for the booter. Called before any of the CPUs runs. The cost is not
 * bounded.
 */
u32 setup_build(const struct setup *setup, void *memory, struct cpu **all);

/* Returns the top of CPU n's kernel stack. */
word setup_stack(const struct setup *setup, void *memory, u32 n);

static inline struct frame_pool *setup_pool(const struct setup *setup, void *memory)
{
	return (struct frame_pool *)((u8 *)memory + setup->states * LIMPET_PAGE);
}

#endif
