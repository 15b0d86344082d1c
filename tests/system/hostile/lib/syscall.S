/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * long lab_syscall(long rax, const word words[6], struct after *after): see lab.h. The stack holds the values that the
 * C code needs, because only rsp is known after the call.
 */
#define RUBBISH 0x1abba5e0000

	.text
	.globl	lab_syscall
	.hidden	lab_syscall
	.type	lab_syscall, @function
	.balign	16
lab_syscall:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	push	%rdx
	mov	%rdi, %rax
	mov	0(%rsi), %rbx
	mov	8(%rsi), %rbp
	mov	16(%rsi), %r12
	mov	24(%rsi), %r13
	mov	32(%rsi), %r14
	mov	40(%rsi), %r15
	movabs	$RUBBISH + 0, %rcx
	movabs	$RUBBISH + 1, %rdx
	movabs	$RUBBISH + 2, %rsi
	movabs	$RUBBISH + 3, %rdi
	movabs	$RUBBISH + 4, %r8
	movabs	$RUBBISH + 5, %r9
	movabs	$RUBBISH + 6, %r10
	movabs	$RUBBISH + 7, %r11
	syscall
	push	%rax
	mov	8(%rsp), %rax
	mov	%rbx, 8(%rax)
	pop	%rbx			/* rax */
	mov	%rbx, 0(%rax)
	mov	%rbp, 16(%rax)
	mov	%r12, 24(%rax)
	mov	%r13, 32(%rax)
	mov	%r14, 40(%rax)
	mov	%r15, 48(%rax)
	mov	%rcx, 56(%rax)
	mov	%rdx, 64(%rax)
	mov	%rsi, 72(%rax)
	mov	%rdi, 80(%rax)
	mov	%r8, 88(%rax)
	mov	%r9, 96(%rax)
	mov	%r10, 104(%rax)
	mov	%r11, 112(%rax)
	pushf
	pop	%rcx
	mov	%rcx, 120(%rax)
	mov	%rbx, %rax
	pop	%rdx
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	lab_syscall, . - lab_syscall
	.section .note.GNU-stack, "", @progbits
