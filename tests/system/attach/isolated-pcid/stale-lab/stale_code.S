/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of the domains. It gets an address in r14 and a value in r15, and returns SAME or OTHER (stale.c) in r13. */
	.set	SAME, 1
	.set	OTHER, 2
	.set	RETURN_CALL, -4096
	.set	PASSES, 5000000

	.macro	code name
	.section .rodata.stale_code, "a", @progbits
	.globl	\name
	.hidden	\name
\name:
	.endm

	.macro	answer
	mov	$OTHER, %r13d
	jne	9f
	mov	$SAME, %r13d
9:	mov	$RETURN_CALL, %rax
	syscall
	ud2
	.endm

/* Compares the value at the address. */
	code	read_code
	cmp	%r15, (%r14)
	answer
	code	read_code_end

/* Writes the value. */
	code	write_code
	mov	%r15, (%r14)
	cmp	%eax, %eax
	answer
	code	write_code_end

/* Reads until it finds the value, for a limited number of passes. */
	code	wait_code
	mov	$PASSES, %ebx
1:	cmp	%r15, (%r14)
	je	2f
	dec	%ebx
	jnz	1b
	cmp	%r15, (%r14)
2:	answer
	code	wait_code_end

	.section .note.GNU-stack, "", @progbits
