/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lays a system out in one run of memory and makes its CPUs' kernels ready: what a host does between
 * "here is a checked image" and the first kernel_resume().
 */
#ifndef KERNEL_SETUP_H
#define KERNEL_SETUP_H

#include <kernel/boot.h>

#define SETUP_FRAMES_LEAST 256
#define SETUP_FRAMES_MOST (1ul << 18) /* 1 GiB */
#define SETUP_STACK_PAGES 4

/* Pages from the start of the run; frame numbers count from there, too. */
struct setup {
	u32 cpus;	  /* given, as are the next three */
	word image_pages; /* that the image fills */
	word share;	  /* frames of each CPU, SETUP_FRAMES_LEAST to _MOST */
	word trace_size;  /* bytes of each CPU's trace: whole pages, a power of two; 0: none */
	u64 ticks_per_ms, early;
	const struct limpet_image_resource *resource; /* these five as in struct boot */
	u32 resources;
	u32 message_data;
	u64 message[LIMPET_CPUS_MAX];
	word cpu, trace, states, image, frames,
		end; /* first pages; the page before `cpu` is the host's */
};

/*
 * The run: [the host's page] [per CPU: struct cpu, stack] [per CPU: trace] [frame states] [image] [per CPU: frames].
 * A page's number and its state are found by a subtraction; the first frames are the kernel's for good.
 */
void setup_layout(struct setup *s);

/*
 * Builds the pool and the CPUs in `memory`: zeroed, page aligned, s->end pages of 4 KiB, with the image
 * of `image_size` bytes in place. Sets all[0] to all[s->cpus - 1]. Returns s->cpus, or the CPU whose
 * frames do not suffice for the booter. Context: before any of them runs; not bounded.
 */
u32 setup_build(const struct setup *s, void *memory, u64 image_size, struct cpu **all);

/* Top of CPU n's kernel stack. */
word setup_stack(const struct setup *s, void *memory, u32 n);

static inline struct frame_pool *setup_pool(const struct setup *s, void *memory)
{
	return (struct frame_pool *)((u8 *)memory + s->states * LIMPET_PAGE);
}

#endif
