/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A restore invokes other components, for example the initialisation of the restored one. These may invoke the
 * supervisor on the same thread, so from the top of the same stack. The entry therefore leaves SPARE bytes free at the
 * top, works below them, and then restores the return address.
 *
 * The entry refuses a fault of a thread that already handles a fault. Only the words of the entry itself are written
 * then, with the same values as before.
 */
#include <limpet/limits.h>

#define SPARE 2048
#define REFUSED -10 /* LIMPET_ECRASH */

	.section .text.enter, "ax", @progbits

	.globl	faults_serve_handle
	.hidden	faults_serve_handle
	.type	faults_serve_handle, @function
faults_serve_handle:		/* badge kind address code ip thread; component on the stack */
	leaq	supervisor_inside(%rip), %rax
	movl	%r9d, %r10d
	andl	$(LIMPET_THREADS_MAX - 1), %r10d
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

/* The same for update_apply(), unless the thread handles a fault or is inside update_apply() already. */
	.globl	update_serve_apply
	.hidden	update_serve_apply
	.type	update_serve_apply, @function
update_serve_apply:		/* badge fresh check */
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	call	supervisor_is_inside
	popq	%rdx
	popq	%rsi
	popq	%rdi
	testb	%al, %al
	jne	1b
	popq	%r10
	subq	$(SPARE + 8), %rsp
	pushq	%r10
	call	supervisor_apply
	popq	%r10
	addq	$(SPARE + 8), %rsp
	pushq	%r10
	ret
	.size	update_serve_apply, . - update_serve_apply

	.globl	component_main
	.hidden	component_main
	.type	component_main, @function
component_main:
	subq	$SPARE, %rsp
	jmp	supervise
	.size	component_main, . - component_main

	.section .note.GNU-stack, "", @progbits
