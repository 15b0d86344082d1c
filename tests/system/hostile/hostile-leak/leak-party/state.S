/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads and stores all registers. No instruction here needs a register for itself. */
#include "state.h"

#define RETURN_CALL -4096

	.macro	general_store to
	mov	%rax, \to + 0(%rip)
	mov	%rbx, \to + 8(%rip)
	mov	%rcx, \to + 16(%rip)
	mov	%rdx, \to + 24(%rip)
	mov	%rsi, \to + 32(%rip)
	mov	%rdi, \to + 40(%rip)
	mov	%rbp, \to + 48(%rip)
	mov	%rsp, \to + 56(%rip)
	mov	%r8, \to + 64(%rip)
	mov	%r9, \to + 72(%rip)
	mov	%r10, \to + 80(%rip)
	mov	%r11, \to + 88(%rip)
	mov	%r12, \to + 96(%rip)
	mov	%r13, \to + 104(%rip)
	mov	%r14, \to + 112(%rip)
	mov	%r15, \to + 120(%rip)
	.endm

	.macro	general_load from
	mov	\from + 0(%rip), %rax
	mov	\from + 8(%rip), %rbx
	mov	\from + 16(%rip), %rcx
	mov	\from + 24(%rip), %rdx
	mov	\from + 32(%rip), %rsi
	mov	\from + 40(%rip), %rdi
	mov	\from + 48(%rip), %rbp
	mov	\from + 56(%rip), %rsp
	mov	\from + 64(%rip), %r8
	mov	\from + 72(%rip), %r9
	mov	\from + 80(%rip), %r10
	mov	\from + 88(%rip), %r11
	mov	\from + 96(%rip), %r12
	mov	\from + 104(%rip), %r13
	mov	\from + 112(%rip), %r14
	mov	\from + 120(%rip), %r15
	.endm

/* Uses a stack, and changes rax and rdx. The vector state is stored last, because AVX may be missing. */
	.macro	rest_store to
	pushf
	cld
	pop	%rax
	mov	%rax, \to + STATE_FLAGS(%rip)
	rdfsbase %rax
	mov	%rax, \to + STATE_FS(%rip)
	rdgsbase %rax
	mov	%rax, \to + STATE_GS(%rip)
	movw	%ds, \to + STATE_SELECTORS + 0(%rip)
	movw	%es, \to + STATE_SELECTORS + 2(%rip)
	movw	%fs, \to + STATE_SELECTORS + 4(%rip)
	movw	%gs, \to + STATE_SELECTORS + 6(%rip)
	mov	state_mask(%rip), %eax
	xor	%edx, %edx
	xsave64	\to + STATE_VECTOR(%rip)
	.endm

	.macro	function name
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.balign	16
\name:
	.endm

	.section .text.start, "ax", @progbits
	function __limpet_start
	test	%rax, %rax
	jnz	1f
	general_store state_init
	rest_store state_init
	lea	__limpet_info(%rip), %rdi
	call	component_init
	mov	%rax, %r13
	xor	%ebx, %ebx
	xor	%ebp, %ebp
	xor	%r12d, %r12d
	mov	$RETURN_CALL, %rax
	syscall
1:	general_store state_start
	rest_store state_start
	lea	__limpet_info(%rip), %rdi
	call	component_main
	call	component_exit
	ud2

	.text
	.macro	vector_load
	mov	state_mask(%rip), %eax
	xor	%edx, %edx
	xrstor64 state_in + STATE_VECTOR(%rip)
	movw	state_in + STATE_SELECTORS + 0(%rip), %ds
	movw	state_in + STATE_SELECTORS + 2(%rip), %es
	movw	state_in + STATE_SELECTORS + 4(%rip), %fs
	movw	state_in + STATE_SELECTORS + 6(%rip), %gs
	mov	state_in + STATE_FS(%rip), %rax
	wrfsbase %rax
	mov	state_in + STATE_GS(%rip), %rax
	wrgsbase %rax
	.endm

	function state_load
	vector_load
	ret

	function state_store
	rest_store state_out
	ret

	function state_spin
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rsp, stack(%rip)
	vector_load
	push	state_in + STATE_FLAGS(%rip)
	popf
	general_load state_in
1:	decq	state_count(%rip)
	jnz	1b
	general_store state_out
	mov	stack(%rip), %rsp
	rest_store state_out
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	pushq	$0x202
	popf
	ret

	.macro	variable name, size
	.globl	\name
	.hidden	\name
	.balign	64
\name:	.zero	\size
	.endm

	.bss
	variable state_init, STATE_SIZE
	variable state_start, STATE_SIZE
	variable state_in, STATE_SIZE
	variable state_out, STATE_SIZE
	variable state_count, 8
	variable stack, 8
	.data
	.globl	state_mask
	.hidden	state_mask
	.balign	8
state_mask:
	.quad	7			/* x87, SSE, AVX; the C code checks which of them exist */
	.section .note.GNU-stack, "", @progbits
