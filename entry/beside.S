/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Beside: the passages between components and the host thread, whose CPU they run on. Each ends what
 * syscall.S or trap.S began, on the stack and with the registers that are drawn there.
 */
#include <entry/asm.h>

	.text
/* To the host thread, at resume_ip, rax = what the kernel asks for. */
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

/* The host thread: parks at resume_ip with rax = -1; all its other system calls are the host's. */
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

/* The host's: none of these has an error code. */
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
 * In our kernel: NMI, machine check, debug. The handler's address takes the place of the vector when
 * there is an error code, else that of the error code that the stub pushed.
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
