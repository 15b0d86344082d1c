/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads page tables while a loaded component must share no branch predictions with other code (`branch-barrier` in the
 * system file). The host then replaces each load of CR3 in the core by a call of barrier_load: beside/text.c,
 * bare/system.c. Otherwise this file is not executed.
 *
 * IBPB makes indirect branches independent of all earlier ones (SDM vol. 4, MSR 49H; AMD's "Indirect Branch Control
 * Extension"). Not all processors also clear the return stack buffer with it, so it is filled, as Linux does when it
 * switches between tasks.
 */
#include <entry/asm.h>

#define MSR_PRED_CMD 0x49
#define PRED_CMD_IBPB 1

/* rax = argument of hal_page_table_load(). Changes rax and the flags. Interrupts off, kernel GS base, any stack. */
	.text
	.globl	barrier_load
	.balign	64
barrier_load:
	no_target			/* hal_load_write() only computes the distance */
	push	%rcx
	push	%rdx
	mov	%rax, %rdx
	mov	THIS(SPACE), %rcx
	mov	%rax, THIS(SPACE)
	btr	$HAL_BARRIER_BIT, %rax
	mov	%rax, %cr3
	cmp	%rcx, %rdx
	je	2f
	or	%rcx, %rdx
	bt	$HAL_BARRIER_BIT, %rdx
	jnc	2f
	mov	THIS(CPU), %rcx
	incq	CPU_BARRIERS(%rcx)
	mov	$MSR_PRED_CMD, %ecx
	mov	$PRED_CMD_IBPB, %eax
	xor	%edx, %edx
	wrmsr
	fill_returns %ecx
2:	pop	%rdx
	pop	%rcx
	jmp	__x86_return_thunk

	.section .note.GNU-stack, "", @progbits
