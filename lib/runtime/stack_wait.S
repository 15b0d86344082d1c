/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The waiting half of limpet_stack_take and limpet_stack_drop, see stack_pool.h. Both run on the thread's entry stack.
 * Without an import sched a thread cannot wait, so limpet_stack_wait is missing and its address is 0.
 */
#define LIMPET_RETURN -4096
#define FULL -20 /* LIMPET_ESTACK */

	.text
	.weak limpet_stack_wait
	.weak limpet_stack_wake
	.globl __limpet_stack_wait
	.hidden __limpet_stack_wait
	.type __limpet_stack_wait, @function
/* In: r10 = top of the entry stack, r11 = badge. Out: the same, rcx = number of the stack. Keeps the message words. */
__limpet_stack_wait:
	pushq	%r11
	movq	%r10, %rdi
	movabs	$limpet_stack_wait, %rdx
	movq	$FULL, %rax
	testq	%rdx, %rdx
	jz	1f
	call	*%rdx
	testq	%rax, %rax
	js	1f
	movq	%rax, %rcx
	popq	%r11
	leaq	8(%rsp), %r10
	ret
1:	movq	%rax, %r13
	movq	$LIMPET_RETURN, %rax
	syscall
	ud2
	.size __limpet_stack_wait, . - __limpet_stack_wait

	.globl __limpet_stack_wake
	.hidden __limpet_stack_wake
	.type __limpet_stack_wake, @function
/* Only a thread that waits is woken, so limpet_stack_wake is there. Keeps rbx, rbp and r12 to r15. */
__limpet_stack_wake:
	subq	$8, %rsp
	movabs	$limpet_stack_wake, %rax
	call	*%rax
	addq	$8, %rsp
	ret
	.size __limpet_stack_wake, . - __limpet_stack_wake

	.section .note.GNU-stack, "", @progbits
