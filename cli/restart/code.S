/* SPDX-License-Identifier: GPL-2.0 */
/* The code of host/restart. */
	.section .rodata, "a", @progbits
	.globl	restart_code, restart_code_end
restart_code:
	.incbin	"build/restart/restart.bin"
restart_code_end:
	.section .note.GNU-stack, "", @progbits
