/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guests: threads of the host whose system calls go to an executive first. The system call MSRs
 * point here while a guest is on the CPU. The executive executes in the guest's own thread of the
 * host. The host gets interrupts that arrive then as interrupts of that thread in the kernel,
 * during the guest's system call. So signals wait for the answer, and the executive gets each call
 * of the guest.
 *
 *   step                            rsp      GS       CR3          IDT     IF   vector registers
 *   SYSCALL of the guest            guest's  user     guest's      guest   0    the guest's, all the time
 *   swapgs, check the filter        guest's  kernel   guest's      guest   0
 *   the filter leaves it to Linux   guest's  user     guest's      guest   0    jmp to the host's own entry
 *   entry_guest_call                host's   kernel   guest's      guest   0    `host's`: the host's stack of this
 *   entry_guest_in                  host's   kernel   executive's  ours    0    thread, which is empty at a system call
 *   swapgs; sysretq                 exec.'s  user     executive's  ours    1
 *   SYSCALL of the executive        exec.'s  user     executive's  ours    0
 *   entry_guest_answer, _out        host's   kernel   guest's      guest   0
 *   swapgs; sysretq                 guest's  user     guest's      guest   its
 *   or to the host's own entry      guest's  user     guest's      guest   0
 *
 * FS base, GS base and the selectors are always the guest's. If the host must do work that can
 * sleep, the entry continues in entry_guest_task(), on the same stack, below the registers of the
 * system call (struct pt_regs) that entry_guest_registers() has written. entry_guest_run() enters
 * the executive from there, and from other places in the host's process context. `frame` is then
 * the stack pointer for its return.
 */
#include <entry/asm.h>

/* Loads the guest's registers as they were at its system call. rdi = guest. */
.macro guest_registers
	mov	GUEST_IP(%rdi), %rcx
	mov	GUEST_FLAGS(%rdi), %r11
	EACH_WORD(FETCH, GUEST, %rdi)
	mov	GUEST_AX(%rdi), %rax
	mov	GUEST_DX(%rdi), %rdx
	mov	GUEST_SI(%rdi), %rsi
	mov	GUEST_R8(%rdi), %r8
	mov	GUEST_R9(%rdi), %r9
	mov	GUEST_R10(%rdi), %r10
	mov	GUEST_SP(%rdi), %rsp
	mov	GUEST_DI(%rdi), %rdi
.endm

	.text
CODE(entry_guest)
	swapgs
	.globl	guest_continue
guest_continue:				/* rsp is user level's */
	cmpb	$0, THIS(INSIDE)
	jne	4f
1:	cmp	$FILTER_REST, %eax		/* the host also uses 32 bits */
	jae	2f
	bt	%ax, THIS(FILTER)		/* 16 bits: mispredicted, it reads no more than 4 KiB around */
	jc	guest_call
leave_to_host:
	swapgs
	jump_host leave_to_syscall, entry_calls_host+CALLS_LSTAR
2:	cmpq	$0, THIS(FILTER_LAST)		/* its highest bit */
	jge	leave_to_host
	jmp	guest_call
4:	cmpb	$INSIDE_RESULT, THIS(INSIDE)
	jne	executive_call

/*
 * If ip and sp are the same, the guest executes its SYSCALL instruction again, with the result in rax.
 */
	movb	$0, THIS(INSIDE)
	mov	%rsp, THIS(USER_SP)
	mov	THIS(GUEST), %rsp
	movb	$0, GUEST_EXPECTED(%rsp)
	cmp	%rcx, GUEST_IP(%rsp)
	jne	5f
	mov	GUEST_SP(%rsp), %rsp
	cmp	%rsp, THIS(USER_SP)
	jne	5f
	mov	THIS(GUEST), %rsi
	mov	%rax, GUEST_RESULT(%rsi)
	mov	GUEST_BOTTOM(%rsi), %rsp
	mov	THIS(SELF), %rdi
	call	entry_guest_result
	mov	THIS(GUEST), %rdi
	mov	%rax, %rcx
	test	%rcx, %rcx
	jz	6f
	movslq	GUEST_AX(%rdi), %rbx
	mov	GUEST_RESULT(%rdi), %rbp
	xor	%r12d, %r12d
	xor	%r13d, %r13d
	xor	%r14d, %r14d
	xor	%r15d, %r15d
	mov	$EVENT_RESULT, %eax
	shl	$32, %rax
	add	GUEST_EVENT(%rdi), %rax
	jmp	user_exit
5:	mov	THIS(GUEST), %rsp		/* another place: this is a new call */
	movb	$0, GUEST_CHANGED(%rsp)
	mov	THIS(USER_SP), %rsp
	jmp	1b
6:	cmp	$WAY_GUEST, %edx
	je	to_guest
	mov	$STOP_NEW, %esi
	jmp	task

guest_call:
	mov	%rsp, THIS(USER_SP)
	mov	THIS(GUEST), %rsp
	EACH_WORD(STORE, GUEST, %rsp)
	EACH_ARGUMENT(STORE, GUEST, %rsp)
	mov	%rsi, GUEST_SI(%rsp)
	mov	%rax, GUEST_AX(%rsp)
	mov	%rcx, GUEST_IP(%rsp)
	mov	%r11, GUEST_FLAGS(%rsp)
	mov	THIS(USER_SP), %rcx
	mov	%rcx, GUEST_SP(%rsp)
	mov	%rsp, %rsi
	mov	GUEST_BOTTOM(%rsp), %rsp
	mov	THIS(SELF), %rdi
	call	entry_guest_call
	mov	THIS(GUEST), %rdi
	mov	%rax, %rcx
	mov	$STOP_NEW, %esi
	test	%rcx, %rcx
	jz	task
	movslq	GUEST_AX(%rdi), %rbx
	mov	GUEST_DI(%rdi), %rbp
	mov	GUEST_SI(%rdi), %r12
	mov	GUEST_DX(%rdi), %r13
	mov	GUEST_R10(%rdi), %r14
	mov	GUEST_R8(%rdi), %r15
	mov	GUEST_EVENT(%rdi), %rax
	jmp	user_exit			/* syscall.S: ip rcx, sp rdx */

/* A system call of the executive. */
executive_call:
	mov	%rsp, THIS(USER_SP)
	mov	THIS(GUEST), %rdi
	mov	GUEST_STACK(%rdi), %rsp
	cmp	$CALL_GUEST_ANSWER, %rax
	jne	executive_other
	mov	THIS(SELF), %rdi
	mov	%rbx, %rsi
	mov	%rbp, %rdx
	call	entry_guest_answer
	mov	THIS(GUEST), %rdi
	xor	%esi, %esi			/* ENTRY_ANSWERED */
	cmp	$WAY_HOST, %eax
	jb	to_guest
	je	to_host
	cmp	$WAY_FRAME, %eax
	jb	task
	je	frame
	cmp	$WAY_EXECUTIVE, %eax		/* another event, of a stacked guest */
	je	to_executive
	mov	$STOP_NEW, %esi
	jmp	task

executive_other:
	mov	GUEST_THREAD(%rdi), %rsi
	EACH_WORD(STORE, REG, %rsi)
	mov	%rax, REG_AX(%rsi)
	mov	%rcx, REG_IP(%rsi)
	mov	THIS(USER_SP), %rcx
	mov	%rcx, REG_SP(%rsi)
	movq	$USER_CS, REG_CS(%rsi)
	movq	$0, REG_FULL(%rsi)
	mov	THIS(SELF), %rdi
	mov	%rax, %rsi
	call	entry_guest_other
	mov	THIS(GUEST), %rdi
	cmp	$WAY_EXECUTIVE, %eax
	je	to_executive
	mov	%eax, %esi			/* enum entry_stop */

/*
 * The executive stops: returns from entry_guest_run(), or enters process context. rdi = guest, esi
 * = enum entry_stop.
 */
stopped:
	cmpq	$0, GUEST_FRAME(%rdi)
	je	task
frame:
	mov	GUEST_FRAME(%rdi), %rsp
	movq	$0, GUEST_FRAME(%rdi)
	mov	GUEST_BOTTOM(%rdi), %rax
	mov	%rax, GUEST_STACK(%rdi)
	mov	%esi, %eax
	pop_saved
	jmp	__x86_return_thunk

task:
	mov	GUEST_BOTTOM(%rdi), %rsp
	mov	%rdi, %rbx
	call	entry_guest_task
	mov	%rbx, %rdi
	cmp	$WAY_GUEST, %eax
	jne	to_host

/* Returns to the guest's program. rdi = guest. */
to_guest:
	guest_registers
	clear_buffers
	swapgs
	sysretq

/* Continues at the host's system call entry, as if the guest had made its call there. */
to_host:
	guest_registers
	cmpb	$INSIDE_RESULT, THIS(INSIDE)
	jne	leave_to_host
	sub	$2, %rcx			/* the host returns to the SYSCALL instruction */
	jmp	leave_to_host

/* enum entry_stop entry_guest_run(struct guest *guest) */
	.globl	entry_guest_run
	.balign	64
entry_guest_run:
	endbr64
	push_saved
	mov	%rsp, GUEST_FRAME(%rdi)
	mov	%rsp, GUEST_STACK(%rdi)
/* Continues the handler thread in the executive. rdi = guest; the stack is guest.hal.stack. */
resume:
	mov	THIS(SELF), %rdi
	call	entry_guest_in
	mov	THIS(GUEST), %rdi
to_executive:
	mov	GUEST_THREAD(%rdi), %rsi
	cmpq	$0, REG_FULL(%rsi)
	jne	exit_full			/* syscall.S */
	EACH_WORD(FETCH, REG, %rsi)
	mov	REG_AX(%rsi), %rax
	mov	REG_IP(%rsi), %rcx
	mov	REG_SP(%rsi), %rdx
	jmp	user_exit

/*
 * Handles an exception, interrupt or NMI of the executive. trap.S has saved the handler thread's
 * registers, and describes the stack, which is the processor's.
 */
	.globl	trap_guest
trap_guest:
	mov	F_VECTOR(%rsp), %r12
	mov	THIS(GUEST), %rbx
	mov	THIS(SELF), %rdi
	call	entry_guest_out
	cmp	$VECTOR_NMI, %r12
	je	guest_ist
	cmp	$VECTOR_MC, %r12
	je	guest_ist
	mov	GUEST_STACK(%rbx), %rsp
	cmp	$VECTOR_INTERRUPT, %r12
	jb	guest_exception
	cmpq	$0, GUEST_FRAME(%rbx)
	jne	1f
	mov	%rbx, %rdi
	call	entry_guest_park
1:	pass_interrupt guest_interrupted

/* After the interrupt, interrupts on, rbx = guest; the stack is as before. */
guest_interrupted:
	no_target
	mov	%rbx, %rdi
	mov	$STOP_INTERRUPTED, %esi
	jmp	stopped

guest_exception:
	mov	THIS(SELF), %rdi
	mov	%r12, %rsi
	call	entry_guest_exception
	mov	%rbx, %rdi
	cmp	$WAY_EXECUTIVE, %eax
	je	resume
	mov	$STOP_MOVE, %esi
	jmp	stopped

/*
 * Passes an NMI or machine check to the host as one that arrived in the kernel. The stack is its
 * own.
 */
guest_ist:
	cmpq	$0, GUEST_FRAME(%rbx)
	jne	1f
	mov	%rbx, %rdi
	call	entry_guest_registers
1:	pass_ist GUEST_STACK(%rbx), guest_ist_return
guest_ist_return:
	no_target
	mov	THIS(GUEST), %rdi
	jmp	resume

/*
 * 32-bit system calls. They fail if the guest's filter contains the calls without a bit of their
 * own, because executives do not handle them. Otherwise the host handles them.
 */
CODE(entry_guest_int80)
	swapgs
	cmpq	$0, THIS(FILTER_LAST)
	jl	1f
	swapgs
	jump_host leave_to_int80, entry_host_vector+0x80*8
1:	swapgs
	mov	$-ENOSYS, %rax
	iretq

CODE(entry_guest_cstar)
	swapgs
	cmpb	$INSIDE_GUEST, THIS(INSIDE)	/* the executive makes no 32-bit calls */
	je	1f
	cmpq	$0, THIS(FILTER_LAST)
	jl	1f
	swapgs
	jump_host leave_to_cstar, entry_calls_host+CALLS_CSTAR
1:	mov	$-ENOSYS, %eax
	clear_buffers
	swapgs
	sysretl

	.section .note.GNU-stack, "", @progbits
