/* SPDX-License-Identifier: GPL-2.0 */
/* Builds the first component, the booter, from a checked image, before the CPU first runs. */
#ifndef KERNEL_BOOT_H
#define KERNEL_BOOT_H

#include <kernel/cpu.h>

#define BOOT_IMAGE_ADDRESS 0x2000000000ul /* address of the image in the booter */

#define SETUP_FRAMES_MIN 256
#define SETUP_FRAMES_MAX LIMPET_FRAMES_MAX

/*
 * A system in contiguous memory. Pages and frames are counted from its start. The host sets all
 * fields up to `message`.
 */
struct setup {
	u32 cpus;	  /* number of CPUs */
	word image_pages; /* pages of the image */
	word share;	  /* frames of each CPU, SETUP_FRAMES_MIN to _MAX, all free */
	word trace_size;  /* bytes of each CPU's trace: whole pages, a power of two; 0: no trace */
	u64 ticks_per_ms;
	u64 early; /* ticks; maximum of a busy wait, see host_timer() */
	/*
	 * The system's resources, checked, without LIMPET_RESOURCE_PCI. Valid while the system
	 * runs.
	 */
	const struct limpet_image_resource *resource;
	u32 resources;
	u32 message_data;
	u64 message[LIMPET_CPUS_MAX]; /* address to which devices write message_data; 0: they cannot */
	/* First pages, set by setup_layout(). The page before `cpu` is the host's. */
	word cpu, trace, states, image, frames, end;
};

/*
 * Prepares all[number] (zeroed memory) for its first kernel_resume(). The image has passed
 * limpet_image_check(). Returns LIMPET_OK, or LIMPET_ENOMEM if the frames do not suffice. Context:
 * once per CPU, before it runs; not bounded.
 */
long boot_cpu(const struct setup *setup, struct frame_pool *pool, struct cpu *const *all,
	      u32 number);

#endif
