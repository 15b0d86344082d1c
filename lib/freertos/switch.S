/* SPDX-License-Identifier: BSD-2-Clause */
/* Task switches, and the entry of interrupts. */
#define RED_ZONE 128

	.macro	push_all registers:vararg
	.irp	register, \registers
	pushq	%\register
	.endr
	.endm

	.macro	pop_all registers:vararg
	.irp	register, \registers
	popq	%\register
	.endr
	.endm

	.text
/* void port_switch(uint64_t **from, uint64_t *to): saves a task, and continues another one. */
	.globl	port_switch
	.hidden	port_switch
	.type	port_switch, @function
port_switch:
	push_all rbp, rbx, r12, r13, r14, r15
	subq	$8, %rsp
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	addq	$8, %rsp
	pop_all	r15, r14, r13, r12, rbx, rbp
	ret
	.size	port_switch, . - port_switch

/* Starts a new task, whose stack pxPortInitialiseStack() has prepared. */
	.globl	port_start
	.hidden	port_start
	.type	port_start, @function
port_start:
	movq	%r12, %rdi
	movq	%r13, %rsi
	call	port_run
	ud2
	.size	port_start, . - port_start

/*
 * The tasks' thread is diverted to this function. Interrupts are masked, and port_interrupted has the address from which the
 * thread was diverted. All registers that the interrupt handlers can change are saved on the stack, below the red zone.
 */
	.globl	port_interrupt
	.hidden	port_interrupt
	.type	port_interrupt, @function
port_interrupt:
	leaq	-(RED_ZONE + 8)(%rsp), %rsp /* without a change of flags; 8 for the address */
	pushfq
	push_all rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11, rbx
	movq	port_interrupted(%rip), %rax
	movq	%rax, 88(%rsp)
	movq	%rsp, %rbx
	subq	$512, %rsp
	andq	$-16, %rsp
	fxsave64 (%rsp)
	fninit
	cld
	call	port_handle
	fxrstor64 (%rsp)
	movq	%rbx, %rsp
	pop_all	rbx, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
	popfq
	ret	$RED_ZONE
	.size	port_interrupt, . - port_interrupt

	.section .note.GNU-stack, "", @progbits
