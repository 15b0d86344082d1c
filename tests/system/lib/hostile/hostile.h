/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <linux/types.h>
#include <asm/fixmap.h>

/* hostile_acts.c */
extern ulong at, size; /* hidden memory */
extern bool is_wild;
u64 any(void);
u64 below(u64 limit);
/* Returns a random value, mostly one near a boundary. */
u64 odd_value(void);
/* Returns 0, or -1 if it faulted. */
int write_word(u64 *to, u64 value);
/* Does one act. Linux usually survives it, unless the acts are wild. */
void act(void);

/* wild.c: _begin sets the seed, _report prints a line for people. */
void wild_begin(void);
void wild_act(void);
void wild_report(const char *line);
void wild_limit(unsigned int ms);
void wild_end(void);

static inline volatile u32 *apic_register(unsigned int offset)
{
	return (volatile u32 *)(APIC_BASE + offset);
}

#endif
