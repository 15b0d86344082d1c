/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads and writes MSRs for the layer. If the processor refuses an access, trap_kernel in switch.S recognises one of
 * these two instructions, sets `refused` of the CPU, and continues at bare_msr_refused. A refused read returns 0, and
 * a refused write has no effect.
 */
#include <entry/asm.h>

	.text
/* u64 bare_msr_read(u32 msr) */
	.globl	bare_msr_read, bare_msr_rdmsr
bare_msr_read:
	mov	%edi, %ecx
bare_msr_rdmsr:
	rdmsr
	shl	$32, %rdx
	or	%rdx, %rax
	jmp	__x86_return_thunk

/* void bare_msr_write(u32 msr, u64 value) */
	.globl	bare_msr_write, bare_msr_wrmsr
bare_msr_write:
	mov	%edi, %ecx
	mov	%esi, %eax
	mov	%rsi, %rdx
	shr	$32, %rdx
bare_msr_wrmsr:
	wrmsr
	jmp	__x86_return_thunk

	.globl	bare_msr_refused
bare_msr_refused:
	xor	%eax, %eax
	jmp	__x86_return_thunk
	.section .note.GNU-stack, "", @progbits
