/* SPDX-License-Identifier: BSD-2-Clause */
/* The first instruction of the system on a CPU; the registers are set as booter_main() says. */
	.section .text.start, "ax", @progbits
	.globl __limpet_start
	.type __limpet_start, @function
__limpet_start:
	mov	%rbx, %rdi
	mov	%rbp, %rsi
	mov	%r12, %rdx
	mov	%r13, %rcx
	mov	%r14, %r8
	mov	%r15, %r9
	call	booter_main
	ud2
	.size __limpet_start, . - __limpet_start

	.section .note.GNU-stack, "", @progbits
