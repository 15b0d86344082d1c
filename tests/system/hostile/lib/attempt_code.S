/* SPDX-License-Identifier: BSD-2-Clause */
/* Code for the domains of attempt.c. */
#include "outcome.h"

	.set	DOMAIN_DATA, 0x10100000
	.set	RETURN_CALL, -4096

	.macro	code name
	.section .rodata.attempt_code, "a", @progbits
	.globl	\name
	.hidden	\name
\name:
	.endm

	code	attempt_trailer
	mov	$OUTCOME_DONE, %r13d
	mov	$RETURN_CALL, %rax
	syscall
	ud2
	code	attempt_trailer_end

/* Returns its flags. The code must not fault or be single-stepped. */
	code	server_code
	pushf
	pop	%rbx
	xorl	%ebp, %ebp
	xorl	%r12d, %r12d
	nop
	nop
	xorl	%r13d, %r13d
	mov	$RETURN_CALL, %rax
	syscall
	ud2
	code	server_code_end

/* Stores the words of a fault, its own flags and the number of faults. It repairs nothing. */
	code	handler_code
	pushf
	pop	%rcx
	movl	$DOMAIN_DATA, %edi
	mov	%rbx, 0(%rdi)
	mov	%rbp, 8(%rdi)
	mov	%r12, 16(%rdi)
	mov	%r13, 24(%rdi)
	mov	%r14, 32(%rdi)
	mov	%r15, 40(%rdi)
	mov	%rcx, 48(%rdi)
	incq	56(%rdi)
	xorl	%ebx, %ebx
	xorl	%ebp, %ebp
	xorl	%r12d, %r12d
	mov	$-1, %r13
	mov	$RETURN_CALL, %rax
	syscall
	ud2
	code	handler_code_end

	.section .note.GNU-stack, "", @progbits
