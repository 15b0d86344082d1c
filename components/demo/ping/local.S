/* SPDX-License-Identifier: BSD-2-Clause */
/* The server's side of local.h: the code of <export/pong.S>, and the compiled code of pong.c. */
#define LIMPET_RETURN -4096

	.text
	.globl	local_entry_call0
	.hidden	local_entry_call0
	.type	local_entry_call0, @function
	.balign	16
local_entry_call0:
	movq	%rax, %rdi
	call	1f
	movq	%rax, %r13
	movq	$LIMPET_RETURN, %rax
	ret
1:	xorl	%eax, %eax
	ret
	.size	local_entry_call0, . - local_entry_call0

	.globl	local_entry_stamp
	.hidden	local_entry_stamp
	.type	local_entry_stamp, @function
	.balign	16
local_entry_stamp:
	pushq	$0
	pushq	$0
	movq	%rax, %rdi
	movq	%rsp, %rsi
	call	1f
	popq	%rbx
	movq	%rax, %r13
	movq	$LIMPET_RETURN, %rax
	leaq	8(%rsp), %rsp	/* in place of the kernel, which discards the stack */
	ret
1:	rdtsc
	salq	$32, %rdx
	orq	%rdx, %rax
	movq	%rax, (%rsi)
	xorl	%eax, %eax
	ret
	.size	local_entry_stamp, . - local_entry_stamp

	.section .note.GNU-stack, "", @progbits
