/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * __limpet_start: where every component begins, on the calling thread's stack in it.
 *
 *   rax = 0   invoked by the booter: component_init(info), and back with its status
 *   rax = 1   first instruction of the component's own thread: component_main(info)
 *   rax = 2   of a spare thread: limpet_thread_begin(), which components with an import sched have
 *
 * In a component with a pool of stacks this is the thread's entry stack, see stack_pool.h. An invocation takes a stack
 * of the pool. A thread of the component has a stack there that no other thread takes.
 */
#include <runtime/stack_pool.h>

#define LIMPET_RETURN -4096

	.section .text.start, "ax", @progbits
	.globl __limpet_start
	.weak limpet_thread_begin
	.type __limpet_start, @function
__limpet_start:
	test	%rax, %rax
	jnz	1f
#ifdef LIMPET_STACK_POOL
	lea	__limpet_info(%rip), %rdi
	call	limpet_pool_init
#endif
	limpet_stack_take
	lea	__limpet_info(%rip), %rdi
	call	component_init
	mov	%rax, %r13
	xor	%ebx, %ebx
	xor	%ebp, %ebp
	xor	%r12d, %r12d
	limpet_stack_drop
	mov	$LIMPET_RETURN, %rax
	syscall
1:
#ifdef LIMPET_STACK_POOL
	mov	%rax, %rbx
	lea	__limpet_info(%rip), %rdi
	mov	%rsp, %rsi
	call	limpet_pool_own
	mov	%rax, %rsp
	mov	%rbx, %rax
#endif
	lea	__limpet_info(%rip), %rdi
	cmp	$2, %rax
	je	2f
	call	component_main
	call	component_exit
	ud2
2:	movabs	$limpet_thread_begin, %rax	/* 0 would be too far away for a call */
	call	*%rax
	ud2
	.size __limpet_start, . - __limpet_start

	.section .note.GNU-stack, "", @progbits
