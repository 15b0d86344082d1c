/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls of components.
 *
 * At entry_syscall the processor (SYSCALL, SDM vol. 2, APM vol. 3) has left:
 *
 *   rcx = user ip   r11 = user flags   rsp = user's   IF = 0   GS base = user's   CR3 = user's
 *
 *   instruction                     rsp      GS       CR3         FPU
 *   swapgs                          user     kernel   component   the thread's, in the registers,
 *   mov THIS(STACK), %rsp           ours     kernel   component   from entry to exit; nothing here
 *   call gate_invoke                ours     kernel   the other   uses vector registers
 *   mov %rdx, %rsp                  user     kernel   the other
 *   swapgs; sysretq                 user     user     the other   IF = 1
 *
 * Only an NMI or machine check can arrive in between. Both have stacks of their own, and their
 * entry does not depend on the current GS base and CR3 (trap.S: trap_kernel).
 */
#include <entry/asm.h>

	.text
CODE(entry_syscall)
	swapgs
	mov	%rsp, THIS(USER_SP)
	.globl	syscall_continue, exit_sysret, exit_iret
syscall_continue:			/* the guarded entry continues here; any stack */
	cmpb	$TRACE_PATH_PLAIN, THIS(INSIDE)
	jne	not_plain
	mov	THIS(STACK), %rsp
	not	%rax
	cmp	$NOT_RETURN, %rax
	je	component_return
	ja	component_call
	mov	THIS(CPU), %rdi			/* invoke the gate in slot rax */
	mov	%rax, %rsi
	mov	THIS(USER_SP), %rdx		/* rcx = ip is the fourth argument as it is */
	call	gate_invoke
invoked:
	mov	%rax, %rcx
	mov	THIS(CPU), %rdi
	mov	CPU_RET(%rdi), %rax
	.globl	user_exit
user_exit:					/* ip rcx, sp rdx, status rax, words in place */
	mov	%rdx, %rsp
	mov	$FLAGS_FIXED, %r11d
	clear_scratch
	clear_buffers
exit_sysret:
	no_target
	swapgs
	sysretq

component_return:				/* r13 = status */
	mov	THIS(CPU), %rdi
	call	gate_return
returned:
	mov	%rax, %rcx
	mov	%r13, %rax
	test	%rcx, %rcx
	jnz	user_exit
	mov	THIS(CPU), %rdi
	mov	%r13, %rsi
	call	gate_return_slow
	jmp	exit_slow

/* The same while invocations are traced. */
not_plain:
	mov	THIS(STACK), %rsp
	not	%rax
	cmp	$NOT_RETURN, %rax
	je	1f
	ja	component_call
	mov	THIS(CPU), %rdi
	mov	%rax, %rsi
	mov	THIS(USER_SP), %rdx
	call	gate_invoke_traced
	jmp	invoked
1:	mov	THIS(CPU), %rdi
	call	gate_return_traced
	jmp	returned

/* Handles all other calls in C, with the registers stored in the thread. rax = ~(user's rax). */
component_call:
	mov	%rsi, THIS(SCRATCH)
	mov	THIS(CPU), %rsi
	mov	CPU_THREAD(%rsi), %rsi
	EACH_WORD(STORE, REG, %rsi)
	mov	%rcx, REG_IP(%rsi)
	mov	THIS(USER_SP), %rcx
	mov	%rcx, REG_SP(%rsi)
	movq	$USER_CS, REG_CS(%rsi)
	test	%rax, %rax
	js	foreign_call
	movq	$0, REG_FULL(%rsi)
	lea	-NOT_CALL(%rax), %rsi
	mov	THIS(CPU), %rdi
	call	kernel_call

/* Continues the current thread, or the host if the kernel has requests for it. */
	.globl	exit_slow
exit_slow:
	mov	THIS(CPU), %rdi
	cmpl	$0, CPU_PENDING(%rdi)
	jne	exit_host		/* beside.S, beneath.S */
	mov	CPU_THREAD(%rdi), %rsi
	cmpq	$0, REG_FULL(%rsi)
	jne	exit_full
	EACH_WORD(FETCH, REG, %rsi)
	mov	REG_AX(%rsi), %rax
	mov	REG_IP(%rsi), %rcx
	mov	REG_SP(%rsi), %rdx
	jmp	user_exit

/* Continues a thread that was interrupted at any instruction: loads all its registers, by IRET. */
	.globl	exit_full
exit_full:
	mov	REG_FLAGS(%rsi), %rax
	and	$FLAGS_USER, %eax
	or	$FLAGS_FIXED, %eax
	mov	THIS(STACK), %rsp
	push	$USER_SS
	push	REG_SP(%rsi)
	push	%rax
	push	$USER_CS
	push	REG_IP(%rsi)
	EACH_WORD(FETCH, REG, %rsi)
	mov	REG_AX(%rsi), %rax
	mov	REG_CX(%rsi), %rcx
	EACH_ARGUMENT(FETCH, REG, %rsi)
	mov	REG_R11(%rsi), %r11
	mov	REG_SI(%rsi), %rsi
	clear_buffers
exit_iret:
	no_target
	swapgs
	iretq

/* Turns a system call that is not Limpet's into a fault, with all registers unchanged. */
foreign_call:
	not	%rax
	mov	%rax, REG_AX(%rsi)
	mov	%r11, REG_FLAGS(%rsi)
	mov	%r11, REG_R11(%rsi)
	mov	REG_IP(%rsi), %rcx
	mov	%rcx, REG_CX(%rsi)
	EACH_ARGUMENT(STORE, REG, %rsi)
	mov	THIS(SCRATCH), %rcx
	mov	%rcx, REG_SI(%rsi)
	movq	$1, REG_FULL(%rsi)
	mov	%rax, %rcx
	xor	%edx, %edx
	mov	$FAULT_SYSCALL, %esi
	mov	THIS(CPU), %rdi
	call	kernel_fault
	jmp	exit_slow

/*
 * SYSCALL in compatibility mode (AMD only). For a component it is an invalid instruction, so the
 * code builds the frame of that exception.
 */
CODE(entry_cstar)
	swapgs
	mov	%rsp, THIS(USER_SP)
	mov	THIS(STACK), %rsp
	.globl	cstar_continue
cstar_continue:
	push	$USER_SS
	push	THIS(USER_SP)
	push	%r11
	push	$COMPAT_CS
	push	%rcx
	push	$0
	push	$6
	jmp	trap_user

	.section .rodata
	.globl	verw_selector
verw_selector:
	.word	KERNEL_SS
	.section .note.GNU-stack, "", @progbits
