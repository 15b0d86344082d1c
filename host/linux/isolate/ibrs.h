/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IBRS at entries and exits, for assembly. Linux uses it on Intel's Skylake and older processors against retbleed: its
 * entries set the bit before the first return or indirect jump, and its exits clear it after the last one. These macros
 * do the same with Linux's value of the MSR. Linux patches them when it loads the module, so that other processors
 * execute one jump in place of each.
 *
 * Linux defers a thread's own bits (STIBP, SSBD) to its exits. x86_spec_ctrl_current has them and the bit of IBRS, so
 * the exits here load them, too.
 */
/* clang-format off */
#include <asm/alternative.h>
#include <asm/cpufeatures.h>
#include <asm/msr-index.h>

/* GS base = the kernel's, and CR3 = a table that maps all of the kernel. Changes rax, rcx and rdx. */
.macro ibrs_write clear:req
	mov	$MSR_IA32_SPEC_CTRL, %ecx
	mov	%gs:x86_spec_ctrl_current, %rdx
	mov	%edx, %eax
	and	$~\clear, %eax
	shr	$32, %rdx
	wrmsr
.endm

/* On a stack. Changes rax. */
.macro ibrs_enter
	ALTERNATIVE "jmp .Lno_ibrs_\@", "", X86_FEATURE_KERNEL_IBRS
	push	%rcx
	push	%rdx
	ibrs_write 0
	pop	%rdx
	pop	%rcx
.Lno_ibrs_\@:
.endm

/* Changes rcx, rdx and rsi. */
.macro ibrs_exit
	ALTERNATIVE "jmp .Lno_ibrs_\@", "", X86_FEATURE_KERNEL_IBRS
	mov	%rax, %rsi
	ibrs_write SPEC_CTRL_IBRS
	mov	%rsi, %rax
.Lno_ibrs_\@:
.endm

/*
 * On the stack of an exception in the kernel, which may have interrupted an entry before ibrs_enter or an exit after
 * ibrs_exit. Uses neither GS base nor CR3, and changes no register. Linux's handler finds the bit set and leaves it so.
 * After an interrupted exit the component executes with the bit set, which only restricts prediction.
 */
.macro ibrs_keep
	ALTERNATIVE "jmp .Lno_ibrs_\@", "", X86_FEATURE_KERNEL_IBRS
	push	%rax
	push	%rcx
	push	%rdx
	mov	$MSR_IA32_SPEC_CTRL, %ecx
	rdmsr
	or	$SPEC_CTRL_IBRS, %eax
	wrmsr
	pop	%rdx
	pop	%rcx
	pop	%rax
.Lno_ibrs_\@:
.endm
