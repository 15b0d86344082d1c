/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupts that come between STGI and CLGI. Each is noted, and looked at when GIF is 0 again.
 *
 *   rsp -> vector | ip | cs | flags | sp | ss      on the CPU's stack, at whose base its struct is
 *
 * An exception here is a mistake of the layer: the CPU stops, with the vector on its stack.
 */
#include <bare-offsets.h> /* generated */
#define VECTOR_NMI 2
#define VECTOR_INTERRUPT 32

	.text
	.globl	bare_stubs
	.balign	64
bare_stubs:
	.set	vector, 0
	.rept	256
	.balign	16
	push	$vector
	.if	vector >= VECTOR_INTERRUPT || vector == VECTOR_NMI
	jmp	trap
	.else
	jmp	stop
	.endif
	.set	vector, vector + 1
	.endr

	.balign	64
trap:
	push	%rax
	push	%rcx
	mov	%rsp, %rax
	and	$-BARE_STACK, %rax
	mov	(%rax), %rax
	mov	16(%rsp), %ecx
	and	$0xff, %ecx		/* PUSH has extended its sign */
	bts	%rcx, BARE_ARRIVED(%rax)
	pop	%rcx
	pop	%rax
	add	$8, %rsp
	iretq

stop:	cli
	hlt
	jmp	stop
	.section .note.GNU-stack, "", @progbits
