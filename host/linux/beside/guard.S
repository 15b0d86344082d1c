/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guarded entries: beside/hook.c installs them in place of the plain ones if Linux needs to do something against
 * speculation at its own entries on this processor. They do what Linux does there, by Linux's own macros. Linux has
 * patched the macros when it loaded the module, so that only what this processor needs is executed. docs/entry.md has
 * the table of vulnerabilities.
 *
 * From SYSCALL or the interrupt up to the end of `guard` there is no return and no indirect jump.
 */
#include <linux/linkage.h>
#include <asm/alternative.h>
#include <asm/cpufeatures.h>
#include <asm/msr-index.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>
#include <entry/asm.h>
#include <host/linux/isolate/ibrs.h>

/* The hint is the note of Linux 6.1. */
.macro entry_begin
	UNWIND_HINT_ENTRY
	note_entry
.endm

.macro untrain
	ANNOTATE_RETPOLINE_SAFE
	nop
	CALL_UNTRAIN_RET
.endm

/*
 * Jumps to functions of Linux. On 7.3 only KVM's modules can link to these functions. Attach writes the jumps (text.c).
 */
.macro linux_function name:req
	.globl	\name
\name:
	no_target
	.byte	0xe9
	.long	-5		/* to itself */
.endm
	.text
	linux_function linux_ibpb
	linux_function linux_clear_history
	linux_function linux_load_fpu

/*
 * entry_untrain_ret and linux_clear_history change rax and rcx, linux_ibpb also rdx. Linux clears the branch history at
 * system calls alone.
 */
.macro guard call:req
	push	%rax
	ibrs_enter
	untrain
	ALTERNATIVE "jmp .Lno_ibpb_\@", "", X86_FEATURE_ENTRY_IBPB
	push	%rcx
	push	%rdx
	call	linux_ibpb
	pop	%rdx
	pop	%rcx
.Lno_ibpb_\@:
	.if	\call
	ALTERNATIVE "jmp .Lno_history_\@", "", X86_FEATURE_CLEAR_BHB_LOOP
	push	%rcx
	call	linux_clear_history
	pop	%rcx
.Lno_history_\@:
	.endif
	pop	%rax
.endm

#include <entry/guarded.h>

CODE(guard_guest)
	entry_begin
	swapgs
	mov	%rsp, THIS(USER_SP)
	mov	THIS(GUEST), %rsp
	mov	GUEST_STACK(%rsp), %rsp
	guard	call=1
	mov	THIS(USER_SP), %rsp
	jmp	guest_continue		/* guest.S */

	.section .note.GNU-stack, "", @progbits
