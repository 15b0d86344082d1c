/* SPDX-License-Identifier: BSD-2-Clause */
/* Task switches, and the entry of interrupts. */
#include <runtime/divert.h>

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

/* The tasks' thread is diverted to this function, with masked interrupts. */
	limpet_diverted_entry port_interrupt, port_handle

	.section .note.GNU-stack, "", @progbits
