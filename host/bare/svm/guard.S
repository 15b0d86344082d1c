/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Safe returns and guarded entries of the layer. A Linux that may be hostile, and components, can make AMD's processors
 * mispredict returns (retbleed: Zen 1 and 2; SRSO: Zen 1 to 4). The sequences are Linux's (arch/x86/lib/retpoline.S
 * says why they work): a return is a jump to the processor's return thunk, and each entry calls the function that
 * untrains its prediction. Attach writes these jumps and calls (host/linux/beneath/guard.c), or plain returns and no
 * calls.
 *
 * The function and the thunk for Zen 3 and 4 must be at addresses that differ in bits 2, 8, 14 and 20. So the first
 * page is mapped a second time, BARE_ALIAS bytes above.
 */
#include <entry/asm.h>
#include <bare-offsets.h> /* generated */

/* 0 to 3 as enum bare_returns. */
	.section .header, "a", @progbits
	.globl	bare_header
bare_header:
	.quad	BARE_MAGIC
	.quad	bare_entry
	.quad	bare_data
	.quad	bare_end
	.quad	__x86_return_thunk, retbleed_return_thunk, return_srso, return_alias
	.quad	__x86_return_thunk, untrain_retbleed, untrain_srso, untrain_alias
	.quad	bare_guards, bare_guards_end, vm_exit_guard, vm_exit_fill

/* At BARE_UNTRAIN_ALIAS. The code BARE_SAFE bytes later is executed only in the second mapping. */
	.section .alias, "ax", @progbits
untrain_alias:
	.byte	0x66, 0x90		/* a NOP of two bytes */
	lfence
	jmp	return_alias
	.org	BARE_SAFE, 0xcc
	lea	8(%rsp), %rsp
	meant
	ret
	int3

/* Linux's checker knows these two names, because the instructions begin in the middle of others. */
	.text
	.globl	retbleed_return_thunk, srso_safe_ret
	.globl	__x86_return_thunk
__x86_return_thunk:			/* the compiler's name for all returns */
	meant
	ret
	int3

return_alias:
	call	bare_safe_return
	ud2

	.balign	64, 0xcc
	.skip	63, 0xcc
untrain_retbleed:
	.byte	0xf6			/* TEST, which has the return as its operands */
retbleed_return_thunk:			/* on a boundary of 64 bytes */
	ret
	int3
	.size	retbleed_return_thunk, . - retbleed_return_thunk
	lfence
	jmp	retbleed_return_thunk
	int3

	.balign	64, 0xcc
	.skip	62, 0xcc
untrain_srso:
	.byte	0x48, 0xb8		/* MOVABS to rax, which has the safe return as its constant */
srso_safe_ret:			/* on a boundary of 64 bytes */
	lea	8(%rsp), %rsp
	ret
	int3
	.size	srso_safe_ret, . - srso_safe_ret
	int3
	lfence
	call	srso_safe_ret
	ud2
return_srso:
	call	srso_safe_ret
	ud2

.macro entry_begin
	note_entry
.endm

.macro untrain
	untrain_here
.endm

.macro guard call:req
	push	%rax
	untrain
	pop	%rax
.endm

#include <entry/guarded.h>

	.section .note.GNU-stack, "", @progbits
