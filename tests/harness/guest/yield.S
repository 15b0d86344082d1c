/* SPDX-License-Identifier: GPL-2.0 */
/* Spin and yield: under QEMU's -icount, PAUSE lets the next processor run. */
	.globl _start
_start:
	pause
	jmp _start
