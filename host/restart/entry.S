/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The first byte of the program: esi is its address. The code is position independent, so symbols
 * here and in restart.c have no fixed address.
 */
#include <host/restart/restart.h>
#define PLAN_ENTRY 0
#define PLAN_PARAMETERS 4
#define PLAN_STACK 8

	.text
	.code32
	.globl	restart_entry
restart_entry:
	cld
	mov	RESTART_PLAN + PLAN_STACK(%esi), %esp
	push	%esi
	call	restart
	pop	%eax
	mov	RESTART_PLAN + PLAN_PARAMETERS(%eax), %esi
	mov	RESTART_PLAN + PLAN_ENTRY(%eax), %eax
	xor	%ebp, %ebp		/* Documentation/x86/boot.rst: ebp, edi and ebx are 0 */
	xor	%edi, %edi
	xor	%ebx, %ebx
	jmp	*%eax
	.section .note.GNU-stack, "", @progbits
