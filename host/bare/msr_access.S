/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The layer's accesses of MSRs. One that the processor refuses continues at bare_msr_refused (trap_kernel
 * in passage.S looks for these two instructions): it reads as 0 or writes nothing, and sets `refused` of
 * the CPU.
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
	ret

/* void bare_msr_write(u32 msr, u64 value) */
	.globl	bare_msr_write, bare_msr_wrmsr
bare_msr_write:
	mov	%edi, %ecx
	mov	%esi, %eax
	mov	%rsi, %rdx
	shr	$32, %rdx
bare_msr_wrmsr:
	wrmsr
	ret

	.globl	bare_msr_refused
bare_msr_refused:
	xor	%eax, %eax
	ret
	.section .note.GNU-stack, "", @progbits
