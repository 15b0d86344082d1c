/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions of the processor that the C files here share. */
#ifndef ENTRY_PROCESSOR_H
#define ENTRY_PROCESSOR_H

#include <entry/entry.h>

static inline void idt_load(const struct entry_idt *idt)
{
	asm volatile("lidt %0" : : "m"(*idt));
}

static inline u32 keys_read(void)
{
	u32 keys, zero;

	asm volatile("rdpkru" : "=a"(keys), "=d"(zero) : "c"(0));
	return keys;
}

static inline void keys_write(u32 keys)
{
	asm volatile("wrpkru" : : "a"(keys), "c"(0), "d"(0) : "memory");
}

#endif
