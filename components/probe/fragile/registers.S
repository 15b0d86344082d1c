/* SPDX-License-Identifier: BSD-2-Clause */
	.text
	.globl	fragile_registers
	.hidden	fragile_registers
	.type	fragile_registers, @function
fragile_registers:
	movq	%rsi, %rsp
	movq	%rdi, %rbp
	leaq	(%rdi, %rsi), %rbx
	leaq	1(%rdi, %rsi, 2), %r12
	leaq	3(%rdi, %rsi, 4), %r13
	leaq	5(%rdi, %rsi, 8), %r14
	movq	%rbx, %r15
	pushq	%rbx
	movq	(%rbp), %rax
	call	*%r12
	movq	%rax, (%r13)
	jmp	*%r14
	.size	fragile_registers, . - fragile_registers

	.section .note.GNU-stack, "", @progbits
