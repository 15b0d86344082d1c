/* SPDX-License-Identifier: GPL-2.0 */
/* Builds the first component, the booter, from a checked image, before the CPU first runs. */
#ifndef KERNEL_BOOT_H
#define KERNEL_BOOT_H

#include <kernel/cpu.h>

#define BOOT_IMAGE_ADDRESS 0x2000000000ul /* where the booter finds the image */

/* What the host gives to one CPU's kernel. */
struct boot {
	struct frame_pool *pool;
	word first, frames;	  /* this CPU's share of the pool, all free */
	word image, image_frames; /* frames that hold the image */
	u64 image_size;
	u32 number, cpus;
	struct cpu *const *all;
	u64 ticks_per_ms;
	u64 early; /* ticks; bounds a busy wait, see host_timer() */
	/* The system's, checked, for as long as it runs; none is LIMPET_RESOURCE_PCI. */
	const struct limpet_image_resource *resource;
	u32 resources;
	u32 message_data;
	u64 message; /* where a device writes message_data to interrupt this CPU; 0: it cannot */
};

/*
 * Makes `cpu` (zeroed memory) ready for its first kernel_resume(). The image has passed
 * limpet_image_check(). Returns LIMPET_OK, or LIMPET_ENOMEM: the frames do not suffice.
 * Context: once per CPU, before it runs; not bounded.
 */
long boot_cpu(struct cpu *cpu, const struct boot *boot);

#endif
