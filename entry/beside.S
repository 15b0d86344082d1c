/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switches between components and the host thread, on whose CPU they run, in beside mode. Each
 * continues syscall.S or trap.S, with the stack and registers that are described there.
 */
#include <entry/asm.h>

	.text
/* Continues the host thread at resume_ip, with the kernel's requests in rax. */
	.globl	exit_host
exit_host:
	mov	THIS(SELF), %rdi
	call	entry_to_host
	mov	THIS(CPU), %rdi
	mov	CPU_PENDING(%rdi), %eax
	mov	THIS(RESUME_IP), %rcx
	mov	THIS(HOST_FLAGS), %r11
	mov	THIS(HOST_SP), %rsp
	clear_words
	clear_scratch
	clear_buffers
	swapgs
	sysretq

/* Handles a call of the host thread. It parks at resume_ip with rax = -1. All its other system calls go to the host. */
	.globl	host_syscall
host_syscall:
	cmp	THIS(RESUME_IP), %rcx
	jne	1f
	cmp	$-1, %rax
	jne	1f
	mov	THIS(USER_SP), %rax
	mov	%rax, THIS(HOST_SP)
	mov	%r11, THIS(HOST_FLAGS)
	mov	THIS(STACK), %rsp
	mov	THIS(SELF), %rdi
	call	entry_from_host
	jmp	exit_slow
1:	mov	THIS(STACK), %rsp
	push	$KERNEL_SS
	push	THIS(USER_SP)
	pushf
	push	$KERNEL_CS
	push	entry_host_syscall(%rip)
	swapgs
	iretq			/* a jump that no branch predictor guesses; all registers kept */

/* SYSCALL of the host's own program in compatibility mode. Two words are on our stack: user's ss, sp. */
	.globl	host_cstar
host_cstar:
	movq	$KERNEL_SS, 8(%rsp)
	pushf
	push	$KERNEL_CS
	push	entry_host_cstar(%rip)
	swapgs
	iretq

/* Passes an interrupt to the host. None of these vectors has an error code. */
	.globl	trap_host
trap_host:
	mov	THIS(SELF), %rdi
	call	entry_to_host
	mov	THIS(CPU), %rax
	incq	CPU_INTERRUPTED(%rax)
	mov	THIS(PARK_IP), %rax
	mov	%rax, F_IP(%rsp)
	movq	$USER_CS, F_CS(%rsp)
	mov	THIS(HOST_FLAGS), %rax
	mov	%rax, F_FLAGS(%rsp)
	mov	THIS(HOST_SP), %rax
	mov	%rax, F_SP(%rsp)
	movq	$USER_SS, F_SS(%rsp)
	mov	F_VECTOR(%rsp), %rax
	mov	entry_host_vector(, %rax, 8), %rax
	mov	%rax, F_ERROR(%rsp)
	lea	F_ERROR(%rsp), %rsp
	clear_words
	clear_scratch
	xor	%eax, %eax
	xor	%ecx, %ecx
	xor	%r11d, %r11d
	swapgs
	jump_ret			/* to the handler; no IRET: it would let a second NMI in */

/*
 * Passes an NMI, machine check or debug exception in our kernel to the host. The handler's address
 * is stored in place of the vector if there is an error code, else in place of the error code that
 * the stub pushed.
 */
	.globl	trap_kernel
trap_kernel:
	push	%rax
	push	%rcx
	mov	16 + F_VECTOR(%rsp), %rcx
	mov	entry_host_vector(, %rcx, 8), %rax
	cmp	$VECTOR_INTERRUPT, %rcx
	jae	1f
	bt	%ecx, has_error(%rip)
	jc	2f
1:	mov	%rax, 16 + F_ERROR(%rsp)
	pop	%rcx
	pop	%rax
	lea	F_ERROR(%rsp), %rsp
	jump_ret
2:	mov	%rax, 16 + F_VECTOR(%rsp)
	pop	%rcx
	pop	%rax
	jump_ret

	.section .rodata
has_error:
	.long	HAS_ERROR
	.section .note.GNU-stack, "", @progbits
