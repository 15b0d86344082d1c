/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Linux system call of the program arrives here by a jump of the kernel: all registers as they
 * were, but rcx = where it goes on, r11 = flags. The program's stack has a red zone and may be small,
 * so the call is served on the stack that the component has for each thread. Vector registers are the
 * program's again afterwards, whatever happens meanwhile, and no server sees them.
 */
#include "thread_offsets.h"

	.text
	.globl	posix_entry
	.hidden	posix_entry
	.type	posix_entry, @function
posix_entry:
	movq	%rsp, %gs:POSIX_THREAD_SP
	movq	%gs:POSIX_THREAD_STACK, %rsp
	pushq	%gs:POSIX_THREAD_SP	/* struct posix_frame, from its end */
	pushq	%r11
	pushq	%rcx
	pushq	%rax
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%r10
	pushq	%r8
	pushq	%r9
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	fxsave64 %gs:POSIX_THREAD_VECTORS
	fxrstor64 posix_clean(%rip)
	cld
	movq	%rsp, %rdi
	call	posix_system_call
	movq	%rsp, %rdi
	.size	posix_entry, . - posix_entry

/* _Noreturn void posix_go(struct posix_frame *frame): to the program, as the frame says. */
	.globl	posix_go
	.hidden	posix_go
	.type	posix_go, @function
posix_go:
	movq	%rdi, %rsp
	fxrstor64 %gs:POSIX_THREAD_VECTORS
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	popq	%r9
	popq	%r8
	popq	%r10
	popq	%rdx
	popq	%rsi
	popq	%rdi
	popq	%rax
	popq	%rcx
	popfq
	popq	%rsp
	jmp	*%rcx
	.size	posix_go, . - posix_go

	.section .rodata
	.balign	64
	.globl	posix_clean
	.hidden	posix_clean
posix_clean:			/* x87 control word and MXCSR as at reset, all registers 0 */
	.short	0x37f, 0, 0, 0
	.quad	0, 0
	.long	0x1f80, 0
	.zero	480

	.section .note.GNU-stack, "", @progbits
