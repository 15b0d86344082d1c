/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What another Linux is started from after the death of one, beneath: `limpet` writes it, the layer keeps
 * it where the guest can read but not write it, and starts the guest at its first byte, in protected mode
 * without paging, interrupts off, esi = its physical address. All of it is below 4 GiB, little endian.
 *
 *   0              the code of this folder
 *   RESTART_PLAN   struct restart_plan
 *   ...            contents
 *
 * The code is the guest's own: the layer trusts nothing of it, and components run whenever they want to.
 */
#ifndef RESTART_H
#define RESTART_H

#define RESTART_PLAN 0x1000
#define RESTART_IO_APICS 16
#define RESTART_COPIES 8

#ifndef __ASSEMBLER__
#include <stdint.h>

struct restart_copy {
	uint32_t to;   /* physical address */
	uint32_t at;   /* bytes from the beginning of the room */
	uint32_t size; /* bytes, then `clear` bytes of zeros */
	uint32_t clear;
};

struct restart_plan {
	uint32_t entry;	     /* the kernel's 32-bit entry point */
	uint32_t parameters; /* its struct boot_params */
	uint32_t stack;	     /* end of 1 KiB that nothing is copied to */
	uint32_t hpet;	     /* 0: none */
	uint32_t io_apics, copies;
	uint32_t io_apic[RESTART_IO_APICS];
	struct restart_copy copy[RESTART_COPIES];
};
#endif

#endif
