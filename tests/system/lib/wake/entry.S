/* SPDX-License-Identifier: GPL-2.0 */
/* Gates of wake.ko for the NMI, and for a general protection fault in its handler. */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/ibt.h>

	.text
	.globl	wake_nmi
wake_nmi:
	ENDBR
	push	%rax
	push	%rcx
	push	%rdx
	push	%rsi
	push	%rdi
	push	%r8
	push	%r9
	push	%r10
	push	%r11
	cld
	call	wake_look
	pop	%r11
	pop	%r10
	pop	%r9
	pop	%r8
	pop	%rdi
	pop	%rsi
	pop	%rdx
	pop	%rcx
	pop	%rax
	iretq

/* bool wake_write(u64 *to, u64 value): returns false if the store faulted */
	.globl	wake_write
wake_write:
	mov	%rsi, (%rdi)
	mov	$1, %eax
	RET
wake_not_written:
	ANNOTATE_NOENDBR
	xor	%eax, %eax
	RET

	.globl	wake_fault
wake_fault:
	ENDBR
	lea	wake_not_written(%rip), %rax
	mov	%rax, 8(%rsp)		/* above the error code */
	add	$8, %rsp
	iretq
	.section .note.GNU-stack, "", @progbits
