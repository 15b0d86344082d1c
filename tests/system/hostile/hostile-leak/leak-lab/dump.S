/* SPDX-License-Identifier: BSD-2-Clause */
/* Code for domains. It stores its initial registers at DOMAIN_DATA, which is below 4 GiB. */
#define DOMAIN_DATA 0x10100000
#define RETURN_CALL -4096

	.macro	code name
	.section .rodata.dump_code, "a", @progbits
	.globl	\name
	.hidden	\name
\name:
	.endm

	.macro	dump
	mov	%rax, DOMAIN_DATA + 0
	mov	%rbx, DOMAIN_DATA + 8
	mov	%rcx, DOMAIN_DATA + 16
	mov	%rdx, DOMAIN_DATA + 24
	mov	%rsi, DOMAIN_DATA + 32
	mov	%rdi, DOMAIN_DATA + 40
	mov	%rbp, DOMAIN_DATA + 48
	mov	%rsp, DOMAIN_DATA + 56
	mov	%r8, DOMAIN_DATA + 64
	mov	%r9, DOMAIN_DATA + 72
	mov	%r10, DOMAIN_DATA + 80
	mov	%r11, DOMAIN_DATA + 88
	mov	%r12, DOMAIN_DATA + 96
	mov	%r13, DOMAIN_DATA + 104
	mov	%r14, DOMAIN_DATA + 112
	mov	%r15, DOMAIN_DATA + 120
	pushf
	pop	%rax
	mov	%rax, DOMAIN_DATA + 128
	.endm

/* Returns a status of 5, the words 6, 7, 8, and random values in all other registers. */
	code	dump_code
	dump
	mov	$6, %ebx
	mov	$7, %ebp
	mov	$8, %r12d
	mov	$5, %r13d
	xor	%r14d, %r14d
	xor	%r15d, %r15d
	movabs	$0x5ec2e70000000001, %rcx
	mov	%rcx, %rdx
	mov	%rcx, %rsi
	mov	%rcx, %rdi
	mov	%rcx, %r8
	mov	%rcx, %r9
	mov	%rcx, %r10
	mov	%rcx, %r11
	mov	$RETURN_CALL, %rax
	syscall
	code	dump_code_end

/* Does the same with a fault, when all registers contain secrets. */
	code	crash_code
	movabs	$0x5ec2e70000000001, %rax
	mov	%rax, %rbx
	mov	%rax, %rcx
	mov	%rax, %rdx
	mov	%rax, %rsi
	mov	%rax, %rdi
	mov	%rax, %rbp
	mov	%rax, %rsp
	mov	%rax, %r8
	mov	%rax, %r9
	mov	%rax, %r10
	mov	%rax, %r11
	mov	%rax, %r12
	mov	%rax, %r13
	mov	%rax, %r14
	mov	%rax, %r15
	pushf				/* no such stack */
	ud2
	code	crash_code_end

	.section .note.GNU-stack, "", @progbits
