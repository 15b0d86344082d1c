/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data from which another Linux is started after the death of one, in beneath mode. `limpet`
 * writes the data. The layer stores them where the guest can read but not write them. It starts the
 * guest at the first byte, in protected mode without paging, with interrupts off and esi = its
 * physical address. All data are below 4 GiB and little endian.
 *
 *   0              the code of this folder
 *   RESTART_PLAN   struct restart_plan
 *   ...            contents
 *
 * The code belongs to the guest: the layer does not trust it, and components can run at any time.
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
	uint32_t at;   /* bytes from the start of the reserved memory */
	uint32_t size; /* bytes, then `clear` bytes of zeros */
	uint32_t clear;
};

struct restart_plan {
	uint32_t entry;	     /* the kernel's 32-bit entry point */
	uint32_t parameters; /* its struct boot_params */
	uint32_t stack;	     /* end of 1 KiB that the copies do not overwrite */
	uint32_t hpet;	     /* 0: none */
	uint32_t io_apics, copies;
	uint32_t io_apic[RESTART_IO_APICS];
	struct restart_copy copy[RESTART_COPIES];
};
#endif

#endif
