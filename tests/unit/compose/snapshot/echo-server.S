/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generated from interface echo, version 1, by tools/compose. Do not edit.
 *
 * Entries of the gates. In: rax = badge, rsp = top of the stack, aligned to 16, words in rbx rbp
 * r12 r13 r14 r15. Out, through the kernel call RETURN: status in r13, results in rbx rbp r12.
 *
 * Nothing of this component leaks: the C function preserves rbx, rbp and r12 to r15, so on return
 * those that carry no result still hold the caller's own words, and the kernel clears the rest.
 *
 * With a pool of stacks, rsp is the top of the thread's entry stack, and the two macros change stacks.
 */
#include <runtime/stack_pool.h>

#define LIMPET_RETURN -4096

#ifdef LIMPET_FPU
/*
 * Vector registers, MXCSR and the x87 control word: the caller's are not trusted, and ours do not
 * leave, also those that the C function used.
 */
#ifdef __AVX512F__
#error "these stubs do not clear AVX-512 registers: build the component without them"
#endif
	.pushsection .rodata.limpet_clean, "aG", @progbits, __limpet_clean, comdat
	.balign 64
	.weak __limpet_clean
	.hidden __limpet_clean
	__limpet_clean: .short 0x37f, 0, 0, 0
	.quad 0, 0
	.long 0x1f80, 0
	.zero 480
	.popsection
	.macro	limpet_clean
	fxrstor64 __limpet_clean(%rip)
#ifdef __AVX__
	vzeroupper
#endif
	.endm
#else
	.macro	limpet_clean
	.endm
#endif

	.section .text.export, "ax", @progbits

	.globl	__limpet_export_echo_none
	.hidden	__limpet_export_echo_none
	.type	__limpet_export_echo_none, @function
	.balign	16
__limpet_export_echo_none:
	limpet_clean
	limpet_stack_take
	movq	%rax, %rdi
	call	echo_serve_none
	movq	%rax, %r13
	limpet_stack_drop
	limpet_clean
	movq	$LIMPET_RETURN, %rax
	syscall
	ud2
	.size	__limpet_export_echo_none, . - __limpet_export_echo_none

	.globl	__limpet_export_echo_four
	.hidden	__limpet_export_echo_four
	.type	__limpet_export_echo_four, @function
	.balign	16
__limpet_export_echo_four:
	limpet_clean
	limpet_stack_take
	pushq	$0
	pushq	$0
	pushq	$0
	pushq	$0
	movq	%rax, %rdi
	movq	%rbx, %rsi
	movq	%rbp, %rdx
	movq	%r12, %rcx
	movq	%r13, %r8
	movq	%rsp, %r9
	call	echo_serve_four
	popq	%rbx
	popq	%rbp
	popq	%r12
	movq	%rax, %r13
	limpet_stack_drop
	limpet_clean
	movq	$LIMPET_RETURN, %rax
	syscall
	ud2
	.size	__limpet_export_echo_four, . - __limpet_export_echo_four

	.globl	__limpet_export_echo_six
	.hidden	__limpet_export_echo_six
	.type	__limpet_export_echo_six, @function
	.balign	16
__limpet_export_echo_six:
	limpet_clean
	limpet_stack_take
	pushq	$0
	pushq	$0
	pushq	%rsp
	pushq	%r15
	movq	%rax, %rdi
	movq	%rbx, %rsi
	movq	%rbp, %rdx
	movq	%r12, %rcx
	movq	%r13, %r8
	movq	%r14, %r9
	call	echo_serve_six
	movq	16(%rsp), %rbx
	movq	24(%rsp), %rbp
	movq	%rax, %r13
	limpet_stack_drop
	limpet_clean
	movq	$LIMPET_RETURN, %rax
	syscall
	ud2
	.size	__limpet_export_echo_six, . - __limpet_export_echo_six

	.section .note.GNU-stack, "", @progbits
