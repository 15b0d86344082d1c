/* SPDX-License-Identifier: GPL-2.0 */
/* Includes the live page. */
	.section .rodata, "a", @progbits
	.globl	live_html, live_html_end
live_html:
	.incbin	"cli/command/exporter/live.html"
live_html_end:
	.section .note.GNU-stack, "", @progbits
