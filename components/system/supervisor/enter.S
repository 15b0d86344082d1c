/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Restoring a component, this one invokes others, its initialisation among them, which may invoke this
 * one: on the same thread, and so from the top of the same stack. What stands there is left free: work
 * is done SPARE bytes below, and the address to return to is put back.
 *
 * A fault that comes in on a thread that is handling one already is not handled. That way nothing but
 * the entry's own words, the same as before, are written.
 */
#define SPARE 2048
#define REFUSED -10 /* LIMPET_ECRASH */

	.section .text.enter, "ax", @progbits

	.globl	faults_serve_handle
	.hidden	faults_serve_handle
	.type	faults_serve_handle, @function
faults_serve_handle:		/* badge kind address code ip thread; component on the stack */
	leaq	supervisor_inside(%rip), %rax
	movl	%r9d, %r10d
	andl	$63, %r10d
	cmpb	$0, (%rax, %r10)
	jne	1f
	movq	(%rsp), %r10
	movq	8(%rsp), %rax
	subq	$(SPARE + 8), %rsp
	pushq	%r10
	pushq	%rax
	call	supervisor_handle
	addq	$8, %rsp
	popq	%r10
	addq	$(SPARE + 8), %rsp
	movq	%r10, (%rsp)
	ret
1:	movq	$REFUSED, %rax
	ret
	.size	faults_serve_handle, . - faults_serve_handle

	.globl	component_main
	.hidden	component_main
	.type	component_main, @function
component_main:
	subq	$SPARE, %rsp
	jmp	supervise
	.size	component_main, . - component_main

	.section .note.GNU-stack, "", @progbits
