/* SPDX-License-Identifier: BSD-2-Clause */
/* Code for the victim that has several parts. Words and patches of the lab control it. */
#include "snip_asm.h"


	.macro	code name
	.section .rodata.piece_code, "a", @progbits
	.globl	\name
	.hidden	\name
\name:
	.endm

/* Sets the thread pointer to word 4, over a call, an invocation and interrupts for word 5 ticks. */
	.macro	spin
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	mov	%rax, %r8
	add	%r15, %r8
1:	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
	cmp	%r8, %rax
	jb	1b
	.endm

	.macro	base write, read
	\write	%r14
	mov	$NOP_CALL, %rax
	syscall
	mov	$INVOKE_SERVER, %rax
	syscall
	spin
	\read	%rcx
	cmp	%r14, %rcx
	je	2f
	end	78
2:
	.endm

	code	fs_code
	base	wrfsbase, rdfsbase
	code	fs_code_end

	code	gs_code
	base	wrgsbase, rdgsbase
	code	gs_code_end

/* Sets the stack pointer to word 4, then makes calls, gets interrupts, and finally faults. */
	code	stack_code
	mov	%r14, %rsp
	mov	$NOP_CALL, %rax
	syscall
	mov	$INVOKE_SERVER, %rax
	syscall
	spin
	cmp	%r14, %rsp
	je	2f
	end	78
2:	int3
	code	stack_code_end

	code	stack_invalid_code
	mov	%r14, %rsp
	ud2
	code	stack_invalid_code_end

/* Loads the vector state components of word 4 from the lab's data, then continues. */
	code	xrstor_code
	mov	%r14d, %eax
	xorl	%edx, %edx
	movl	$DOMAIN_DATA, %edi
	xrstor64 (%rdi)
	mov	$INVOKE_SERVER, %rax
	syscall
	spin
	code	xrstor_code_end

/* Loads the selector in word 4 into the segment register that the lab patches in at SEGMENT_AT. */
	code	segment_code
	movl	%r14d, %eax
	.byte	0x8e, 0xd8
	mov	$NOP_CALL, %rax
	syscall
	mov	$INVOKE_SERVER, %rax
	syscall
	spin
	code	segment_code_end

	.section .note.GNU-stack, "", @progbits
