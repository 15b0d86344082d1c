/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lays a system out in one run of memory and makes its CPUs' kernels ready: what a host does between
 * "here is a checked image" and the first kernel_resume().
 */
#ifndef KERNEL_SETUP_H
#define KERNEL_SETUP_H

#include <kernel/boot.h>

#define SETUP_STACK_PAGES 4

/*
 * The run: [the host's page] [per CPU: struct cpu, stack] [per CPU: trace] [frame states] [image] [per CPU: frames].
 * A page's number and its state are found by a subtraction; the first frames are the kernel's for good.
 */
void setup_layout(struct setup *s);

/*
 * Builds the pool and the CPUs in `memory`: zeroed, page aligned, s->end pages of 4 KiB, with the image
 * in place. Sets all[0] to all[s->cpus - 1]. Returns s->cpus, or the CPU whose
 * frames do not suffice for the booter. Context: before any of them runs; not bounded.
 */
u32 setup_build(const struct setup *s, void *memory, struct cpu **all);

/* Top of CPU n's kernel stack. */
word setup_stack(const struct setup *s, void *memory, u32 n);

static inline struct frame_pool *setup_pool(const struct setup *s, void *memory)
{
	return (struct frame_pool *)((u8 *)memory + s->states * LIMPET_PAGE);
}

#endif
