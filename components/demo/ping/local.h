/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The user-level part of an invocation, without the kernel. These are pong's functions with the
 * code that tools/compose generates for both sides, except that each of the two SYSCALL
 * instructions is replaced by a call or a return. They measure the cost of the stubs and the served
 * function alone.
 */
#ifndef PING_LOCAL_H
#define PING_LOCAL_H

#include <runtime/types.h>

#define LOCAL_INVOKE(entry, result)                                                                \
	({                                                                                         \
		register word rbx asm("rbx") = 0;                                                  \
		register word rbp asm("rbp") = 0;                                                  \
		register word r12 asm("r12") = 0;                                                  \
		register word r13 asm("r13") = 0;                                                  \
		register word r14 asm("r14") = 0;                                                  \
		register word r15 asm("r15") = 0;                                                  \
		long status;                                                                       \
                                                                                                   \
		asm volatile("movq $-1, %%rax\n\t"                                                 \
			     "call " #entry                                                        \
			     : "=a"(status), "+r"(rbx), "+r"(rbp), "+r"(r12), "+r"(r13),           \
			       "+r"(r14), "+r"(r15)                                                \
			     :                                                                     \
			     : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc",         \
			       "memory");                                                          \
		*(result) = rbx;                                                                   \
		status;                                                                            \
	})

/* The same as pong_call0(). */
static inline __attribute__((always_inline)) long local_call0(void)
{
	word none;

	return LOCAL_INVOKE(local_entry_call0, &none);
}

/* The same as pong_stamp(), with one more instruction on the return. */
static inline __attribute__((always_inline)) long local_stamp(word *time)
{
	return LOCAL_INVOKE(local_entry_stamp, time);
}

#endif
