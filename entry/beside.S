/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Switches between the host and components, in beside mode. Components execute in a system call of the host thread,
 * which has called entry_host_run(). For the host, an interrupt that arrives meanwhile is one of that thread in the
 * kernel.
 *
 *   step                                rsp           GS      CR3          IDT, MSRs  IF
 *   entry_host_run, host_sp = rsp       host thread's kernel  host's       host's     0
 *   entry_from_host                     ours          kernel  component's  ours       0
 *   exit_slow (syscall.S)               component's   user    component's  ours       1
 *   exit_host: the kernel has requests  ours          kernel  host's       host's     0   returns false
 *   trap_host: interrupt                host's entry  kernel  host's       host's     0
 *   entry_host_interrupted, host's      host_sp       kernel  host's       host's     0
 *   handler, host_interrupted           host_sp       kernel  host's       host's     1   returns true
 *   trap_host: NMI, machine check       IST           kernel  host's       host's     0   then host_ist_return
 */
#include <entry/asm.h>

	.text
/* bool entry_host_run(struct entry_cpu *e) */
	.globl	entry_host_run
	.balign	64
entry_host_run:
	endbr64
	push_saved
	mov	%rsp, THIS(HOST_SP)
components:
	mov	THIS(SELF), %rdi
	mov	THIS(STACK), %rsp
	call	entry_from_host
	jmp	exit_slow

/* Returns to the host, which carries out the kernel's requests. */
	.globl	exit_host
exit_host:
	mov	THIS(SELF), %rdi
	call	entry_to_host
	mov	THIS(HOST_SP), %rsp
	xor	%eax, %eax
host_return:
	pop_saved
	jmp	__x86_return_thunk

/* Passes an interrupt, NMI or machine check of a component to the host. */
	.globl	trap_host
trap_host:
	mov	%rsi, %r12
	mov	THIS(SELF), %rdi
	call	entry_to_host
	mov	THIS(CPU), %rax
	incq	CPU_INTERRUPTED(%rax)
	cmp	$VECTOR_INTERRUPT, %r12
	jb	1f
	mov	THIS(HOST_SP), %rsp
	call	entry_host_interrupted
	pass_interrupt host_interrupted
1:	pass_ist THIS(HOST_SP), host_ist_return

/* After the interrupt, with interrupts on. */
host_interrupted:
	no_target
	mov	$1, %eax
	jmp	host_return

host_ist_return:
	no_target
	jmp	components

/* An NMI, machine check or debug exception in our kernel. */
	.globl	trap_kernel
trap_kernel:
	pass_exception entry_host_vector, jump_ret

	.section .note.GNU-stack, "", @progbits
