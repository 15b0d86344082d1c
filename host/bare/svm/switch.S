/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switches between components and the layer in beneath mode. Continues entry/syscall.S and entry/trap.S, as
 * entry/beside.S does in beside mode.
 *
 *                        stack     GS      CR3         GIF  IF   the guest's FS, GS, MSRs, vectors
 *   bare_components      layer's   kernel  layer's      0    1   are saved
 *   entry_resume         ours      kernel  component    1    0
 *   components           theirs    user    component    1    1   interrupts go to trap_host
 *   exit_host            ours      kernel  component    1    0
 *   back in the layer    layer's   kernel  component    0    1   are saved
 *
 * With IF = 0 and GIF = 1 only an NMI or machine check can arrive. Both have stacks of their own.
 */
#include <entry/asm.h>
#include <bare-offsets.h> /* generated */

#define VECTOR_DB 1
#define VECTOR_GP 13
#define FLAG_TRAP 0x100

/* Sets rax to struct bare_cpu, whose address is at the base of the stack. */
.macro this_cpu
	mov	%rsp, %rax
	and	$-BARE_STACK, %rax
	mov	(%rax), %rax
.endm

	.text
	.globl	bare_components
bare_components:			/* rdi = struct entry_cpu */
	push_saved
	mov	%rsp, THIS(HOST_SP)
	mov	THIS(STACK), %rsp
	cli
	stgi
	mov	THIS(SELF), %rdi
	call	entry_resume
	jmp	exit_slow

/* Serves the kernel's requests. The guest gets the CPU if components are idle. */
	.globl	exit_host
exit_host:
	mov	THIS(STACK), %rsp
	mov	THIS(SELF), %rdi
	call	bare_serve
	test	%al, %al
	jnz	exit_slow
	mov	THIS(HOST_SP), %rsp
	clgi
	sti				/* with GIF = 0: vmrun.S */
	pop_saved
	jmp	__x86_return_thunk

/*
 * An interrupt arrived while a component ran. rsi is the vector, and the component's registers are
 * saved.
 */
	.globl	trap_host
trap_host:
	mov	THIS(STACK), %rsp
	cmp	$VECTOR_NMI, %rsi
	jne	1f
	mov	%rsp, %rax		/* IRET to the next instruction unmasks NMIs */
	push	$KERNEL_SS
	push	%rax
	pushf
	push	$KERNEL_CS
	push	$1f
	iretq
1:	mov	THIS(SELF), %rdi
	call	bare_interrupted
	jmp	exit_slow

/*
 * Handles an interrupt or exception that arrives while the layer or the kernel runs. Interrupts are recorded and
 * handled later. The stack is the layer's or, in the kernel, one of the IST; a pointer to the CPU's structure is stored
 * at the base of each. An exception is a defect of the layer or the kernel and stops the CPU, with the frame on its
 * stack. Two exceptions are expected: a component can make the processor single-step the first instruction of a system
 * call, and the guest can access an MSR that the processor does not have (msr_access.S).
 */
	.globl	trap_kernel
trap_kernel:
	push	%rax
	push	%rcx
	mov	16 + F_VECTOR(%rsp), %rcx
	cmp	$VECTOR_INTERRUPT, %rcx
	jae	1f
	cmp	$VECTOR_NMI, %rcx
	je	2f
	cmp	$VECTOR_MC, %rcx
	je	3f
	cmp	$VECTOR_GP, %rcx
	je	6f
	cmp	$VECTOR_DB, %rcx
	jne	stop
	andq	$~FLAG_TRAP, 16 + F_FLAGS(%rsp)
	jmp	5f
1:	this_cpu
	bts	%rcx, BARE_ARRIVED(%rax)
	jmp	4f
2:	this_cpu			/* arrives at any instruction, so has its own bytes */
	movb	$1, BARE_NMI(%rax)
	jmp	4f
3:	this_cpu
	movb	$1, BARE_MACHINE_CHECK(%rax)
4:	cmpq	$vm_halt_wait, 16 + F_IP(%rsp)
	jne	5f
	incq	16 + F_IP(%rsp)		/* HLT is one byte */
5:	pop	%rcx
	pop	%rax
	add	$16, %rsp
	iretq
6:	cmpq	$bare_msr_rdmsr, 16 + F_IP(%rsp)
	je	7f
	cmpq	$bare_msr_wrmsr, 16 + F_IP(%rsp)
	jne	stop
7:	movq	$bare_msr_refused, 16 + F_IP(%rsp)
	this_cpu
	movb	$1, BARE_REFUSED(%rax)
	jmp	5b

/* Not reached, because entry_cpu.inside is never INSIDE_GUEST in the layer. */
	.globl	trap_guest
trap_guest:
stop:	cli
	hlt
	jmp	stop
	.section .note.GNU-stack, "", @progbits
