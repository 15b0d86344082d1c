/* SPDX-License-Identifier: BSD-2-Clause */
/* All registers of user level, as state.S loads and stores them. */
#ifndef STATE_H
#define STATE_H

#define STATE_GENERAL 16 /* rax rbx rcx rdx rsi rdi rbp rsp r8 to r15 */
#define STATE_FLAGS 128
#define STATE_FS 136
#define STATE_GS 144
#define STATE_SELECTORS 152 /* ds, es, fs, gs: 16 bits each */
#define STATE_VECTOR 192    /* offset of the XSAVE area */
#define STATE_VECTOR_SIZE 2816
#define STATE_SIZE (STATE_VECTOR + STATE_VECTOR_SIZE)

#ifndef __ASSEMBLER__
#include <runtime/types.h>

struct state {
	word general[STATE_GENERAL];
	word flags, fs, gs;
	uint16_t selector[4];
	unsigned char padding[STATE_VECTOR - STATE_SELECTORS - 8];
	unsigned char vector[STATE_VECTOR_SIZE];
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct state, vector) == STATE_VECTOR, "as state.S has it");
_Static_assert(offsetof(struct state, selector) == STATE_SELECTORS, "as state.S has it");

/* Filled by __limpet_start: the initial registers of init and of the thread. */
extern struct state state_init, state_start;

/* For state_spin: registers that it loads, registers that it finds afterwards, and the number of turns between. */
extern struct state state_in, state_out;
extern word state_count, state_mask;
void state_spin(void);
/* Only vector state and thread pointers. */
void state_load(void);
void state_store(void);
#endif

#endif
