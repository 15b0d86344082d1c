/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts threads of the component that compute. A thread diverts another one to an entry, where the diverted thread saves
 * its registers, acts, and returns to the address at which it was. C code includes this header for limpet_thread_divert(),
 * and assembly for the parts of an entry.
 *
 * An entry keeps the red zone of the interrupted code. It can itself be interrupted, as soon as the address has been read.
 */
#ifndef RUNTIME_DIVERT_H
#define RUNTIME_DIVERT_H

#define LIMPET_RED_ZONE                                                                            \
	128 /* bytes below the stack pointer that code may use, System V ABI 3.2.2 */

#ifdef __ASSEMBLER__
/* clang-format off */
#define LIMPET_MXCSR 0x1f80 /* at reset */

/* The start of an entry. Reserves a word for the address, and saves the flags and rax. Does not change the flags. */
	.macro	limpet_diverted_begin
	leaq	-(LIMPET_RED_ZONE + 8)(%rsp), %rsp
	pushfq
	pushq	%rax
	.endm

/* Saves the other registers that a C function can change, and rbx. */
	.macro	limpet_diverted_save
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%rbx
	.endm

/* Returns to the address in rax. The stack pointer is as after limpet_diverted_save. */
	.macro	limpet_diverted_return
	movq	%rax, 88(%rsp)		/* above the 11 registers */
	popq	%rbx
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rax
	popfq
	ret	$LIMPET_RED_ZONE
	.endm

/*
 * Defines an entry that saves all registers on the interrupted stack and calls `handler`, a C function without arguments.
 * The handler returns the address at which the thread continues.
 */
	.macro	limpet_diverted_entry name, handler
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	limpet_diverted_begin
	limpet_diverted_save
	movq	%rsp, %rbx
	subq	$512, %rsp
	andq	$-16, %rsp
	fxsave64 (%rsp)
	fninit
	pushq	$LIMPET_MXCSR
	ldmxcsr	(%rsp)
	popq	%rax
	cld
	call	\handler
	fxrstor64 (%rsp)
	movq	%rbx, %rsp
	limpet_diverted_return
	.size	\name, . - \name
	.endm
/* clang-format on */
#else

#include <runtime/kernel_call.h>

/*
 * Makes a thread of the component continue at `entry`. *address is the address at which it was, which is stored before the
 * thread runs. Returns false if the thread executes in another component, or waits in a kernel call. The thread can run
 * between two kernel calls, so the kernel compares the address.
 *
 * The caller must exclude other callers for the same thread, until that thread has read *address.
 */
static inline bool limpet_thread_divert(word thread, word *address, void (*entry)(void))
{
	struct limpet_out out = { 0 };
	long status;

	do {
		*address = out.w0;
		status = limpet_call_thread_divert(thread, *address, (word)entry, &out);
	} while (status == LIMPET_EAGAIN);
	return status >= 0;
}
#endif

#endif
