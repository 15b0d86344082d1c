/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * executive_entry: where a handler thread starts with each event, on the top of its stack. In: rax = event, rbx rbp r12
 * r13 r14 r15 = words. Calls executive_event() and passes what it returns, in rax and rdx, to GUEST_ANSWER. The thread
 * keeps nothing between two events, so no register is saved. Every instruction counts, because each system call that an
 * executive serves takes this way.
 */
#include <executive/answer.h>

	.text
	.globl executive_entry
	.hidden executive_entry
	.type executive_entry, @function
	.p2align 4
executive_entry:
	movq	%rax, %rdi
	movq	%rbx, %rsi
	movq	%rbp, %rdx
	movq	%r12, %rcx
	movq	%r13, %r8
	movq	%r14, %r9
	pushq	%r15			/* only aligns the stack */
	pushq	%r15			/* seventh argument */
	call	executive_event
	movq	%rax, %rbx
	movq	%rdx, %rbp
	movq	$EXECUTIVE_ANSWER, %rax
	syscall
	ud2				/* the kernel refuses this only outside an event */
	.size executive_entry, . - executive_entry

	.section .note.GNU-stack, "", @progbits
