/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel jumps here at a Linux system call of the program. rcx contains the return address and r11 the flags. All
 * other registers are unchanged. The program's stack has a red zone and may be small, so the call is served on the
 * component's stack of the thread. Vector registers are saved and cleared, so that servers do not see them, and
 * restored afterwards.
 */
#include <runtime/divert.h>

#include "thread_offsets.h"

#define LIMPET_RETURN -4096

	.macro	push_rest
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%r10
	pushq	%r8
	pushq	%r9
	pushq	%rbx
	pushq	%rbp
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	.endm

	.macro	pop_rest
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbp
	popq	%rbx
	popq	%r9
	popq	%r8
	popq	%r10
	popq	%rdx
	popq	%rsi
	popq	%rdi
	.endm

	.text
	.globl	posix_entry
	.hidden	posix_entry
	.type	posix_entry, @function
posix_entry:
	movq	%rsp, %gs:POSIX_THREAD_SP
posix_entry_second:
	movq	%gs:POSIX_THREAD_STACK, %rsp
	pushq	%gs:POSIX_THREAD_SP	/* struct posix_frame, from its end */
	pushq	%r11
	pushq	%rcx
	pushq	%rax
	push_rest
	fxsave64 %gs:POSIX_THREAD_VECTORS
	fxrstor64 posix_clean(%rip)
	cld
	movq	%rsp, %rdi
	call	posix_system_call
leave:					/* rax: the frame; dl: whether all registers count */
	movq	%rax, %rdi
	testb	%dl, %dl
	jnz	go_full

/*
 * Returns to the program with the registers of the frame, except rcx and r11. `leaving` is set until the last but one
 * instruction.
 */
	movq	%rdi, %rsp
	fxrstor64 %gs:POSIX_THREAD_VECTORS
	pop_rest
	popq	%rax
	popq	%rcx
	popfq
	popq	%rsp
	movb	$0, %gs:POSIX_THREAD_LEAVING
	jmp	*%rcx

/*
 * Returns to the program with all registers of the frame, also rcx and r11. The address is on the program's stack,
 * below its red zone, where posix_leave() has put it. The stack pointer changes in one instruction, because the thread
 * can be interrupted anywhere.
 */
go_full:
	movq	%rdi, %rsp
	fxrstor64 %gs:POSIX_THREAD_VECTORS
	pop_rest
	popq	%rax
	leaq	8(%rsp), %rsp
	movq	%gs:POSIX_THREAD_RCX, %rcx
	movq	%gs:POSIX_THREAD_R11, %r11
	popfq
	movq	%gs:POSIX_THREAD_GO_SP, %rsp
	movb	$0, %gs:POSIX_THREAD_LEAVING
	ret	$LIMPET_RED_ZONE
	.size	posix_entry, . - posix_entry

/*
 * A diverted thread continues here with all registers of the interrupted code. struct posix_thread has the interrupted
 * address. If the program was interrupted, the thread makes a frame as for a system call, and checks for signals. If
 * the library was interrupted, the thread returns there, because it checks at the end of its system call. If it has
 * already checked and `leaving` is set, it checks again.
 */
	.globl	posix_interrupt
	.hidden	posix_interrupt
	.type	posix_interrupt, @function
posix_interrupt:
	limpet_diverted_begin
	movq	%rsp, %rax
	subq	posix_stacks(%rip), %rax
	cmpq	posix_stacks_size(%rip), %rax
	jb	in_library
	movb	$0, %gs:POSIX_THREAD_LEAVING
	leaq	posix_entry_second(%rip), %rax
	cmpq	%rax, %gs:POSIX_THREAD_INTERRUPTED
	jne	1f
	leaq	posix_entry(%rip), %rax	/* the entry's word for the stack pointer is used again below */
	movq	%rax, %gs:POSIX_THREAD_INTERRUPTED
1:	movq	%rcx, %gs:POSIX_THREAD_RCX
	movq	%r11, %gs:POSIX_THREAD_R11
	movq	%rsp, %gs:POSIX_THREAD_SP
	movq	%gs:POSIX_THREAD_STACK, %rsp
	pushq	%gs:POSIX_THREAD_SP
	subq	$24, %rsp		/* flags, rip, rax: posix_interrupted() finds them */
	push_rest
	fxsave64 %gs:POSIX_THREAD_VECTORS
	fxrstor64 posix_clean(%rip)
	cld
	movq	%rsp, %rdi
	call	posix_interrupted
	jmp	leave

in_library:
	limpet_diverted_save
	movq	%rsp, %rbx
	andq	$-16, %rsp
	cld
	call	posix_interrupted_library
	testq	%rax, %rax
	jz	again
	movq	%rbx, %rsp
	limpet_diverted_return
again:					/* below the frame, which is at the end of the stack */
	movq	%rdx, %rsp
	call	posix_leave_again
	jmp	leave
	.size	posix_interrupt, . - posix_interrupt

/*
 * The gate for faults of this component: rax = badge, rbx = kind, rbp = address, r12 = error code, r13 = instruction,
 * rsp below the used part of the stack. The stack of the program may be used up, so posix_fault switches to the
 * library's stack, which is empty while the program runs. The library does not use vector registers, so they keep the
 * program's values.
 */
	.globl	posix_fault
	.hidden	posix_fault
	.type	posix_fault, @function
posix_fault:
	xorl	%r8d, %r8d
	movq	%rsp, %rax
	subq	posix_stacks(%rip), %rax
	cmpq	posix_stacks_size(%rip), %rax
	setb	%r8b
	jb	1f
	movq	%gs:POSIX_THREAD_STACK, %rsp
1:	movq	%rbx, %rdi
	movq	%rbp, %rsi
	movq	%r12, %rdx
	movq	%r13, %rcx
	call	posix_fault_handle
	movq	%rax, %r13
	movq	$LIMPET_RETURN, %rax
	syscall
	ud2
	.size	posix_fault, . - posix_fault

/*
 * A thread whose exception becomes a signal continues here, with all registers as they were. The program's stack can be
 * used up, so posix_exception does not write to it.
 */
	.globl	posix_exception
	.hidden	posix_exception
	.type	posix_exception, @function
posix_exception:
	movq	%rsp, %gs:POSIX_THREAD_SP
	movq	%gs:POSIX_THREAD_STACK, %rsp
	pushq	%gs:POSIX_THREAD_SP
	pushfq
	pushq	%gs:POSIX_THREAD_FAULT_IP
	pushq	%rax
	push_rest
	movq	%rcx, %gs:POSIX_THREAD_RCX
	movq	%r11, %gs:POSIX_THREAD_R11
	fxsave64 %gs:POSIX_THREAD_VECTORS
	fxrstor64 posix_clean(%rip)
	cld
	movq	%rsp, %rdi
	call	posix_exception_signal
	jmp	leave
	.size	posix_exception, . - posix_exception

/* _Noreturn void posix_begin(word stack): a thread goes to the program for the first time, from that stack. */
	.globl	posix_begin
	.hidden	posix_begin
	.type	posix_begin, @function
posix_begin:
	movq	%rdi, %rsp
	call	posix_leave_first
	jmp	leave
	.size	posix_begin, . - posix_begin

	.section .rodata
	.balign	64
	.globl	posix_clean
	.hidden	posix_clean
posix_clean:			/* x87 control word and MXCSR as at reset, all registers 0 */
	.short	0x37f, 0, 0, 0
	.quad	0, 0
	.long	0x1f80, 0
	.zero	480

	.section .note.GNU-stack, "", @progbits
