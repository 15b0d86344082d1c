/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code of the links of a chain. Each link computes for a while, invokes the next one, computes again, and returns a
 * status. The gate is in slot 8, which the last link does not have:
 *
 *   n            n links were passed, this one included
 *   1000 + n     n links were passed after the one whose callee crashed
 *   5000 ...     another result was returned
 */
	.set	DATA, 0x10100000
	.set	NOP_CALL, -4097
	.set	RETURN_CALL, -4096
	.set	INVOKE_NEXT, -9
	.set	ESLOT, -1
	.set	ECRASH, -10

	.macro	code name
	.section .rodata.link_code, "a", @progbits
	.globl	\name
	.hidden	\name
\name:
	.endm

	.macro	compute
	mov	$400, %ecx
1:	dec	%ecx
	jnz	1b
	mov	$NOP_CALL, %rax
	syscall
	.endm

	.macro	next
	xor	%ebx, %ebx
	xor	%ebp, %ebp
	mov	$INVOKE_NEXT, %rax
	syscall
	.endm

	code	link_code
	movabs	$0x11a51a11a51, %rax	/* must survive on the stack */
	push	%rax
	compute
	next
	mov	$1, %r13d
	cmp	$ESLOT, %rax
	je	2f
	mov	$1000, %r13d
	cmp	$ECRASH, %rax
	je	2f
	lea	1(%rax), %r13
	test	%rax, %rax
	jns	2f
	mov	$5000, %r13d
	sub	%rax, %r13
2:	compute
	movabs	$0x11a51a11a51, %rax
	pop	%rbx
	cmp	%rax, %rbx
	je	3f
	mov	$6000, %r13d
3:	xor	%ebx, %ebx
	xor	%ebp, %ebp
	xor	%r12d, %r12d
	mov	$RETURN_CALL, %rax
	syscall
	ud2
	code	link_code_end

/* Entry of threads: rax is 0 to 7, the place in the data for the status of the first link. */
	code	begin_code
	push	%rax
	next
	pop	%rcx
	mov	%rax, DATA(, %rcx, 8)
	mov	$RETURN_CALL, %rax
	syscall
	ud2
	code	begin_code_end

	.section .note.GNU-stack, "", @progbits
