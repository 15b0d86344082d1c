/* SPDX-License-Identifier: GPL-2.0 */
/* In place of Linux's own functions, so that objtool can follow all calls of guarded entries. They are never executed. */
	.text
	.globl	entry_untrain_ret, srso_alias_untrain_ret, __x86_return_thunk
entry_untrain_ret:
srso_alias_untrain_ret:
__x86_return_thunk:
	jmp	.
	.section .note.GNU-stack, "", @progbits
