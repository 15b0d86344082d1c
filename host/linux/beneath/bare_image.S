/* SPDX-License-Identifier: GPL-2.0 */
/* The layer of host/bare, as it is copied into hidden memory. */
	.section .rodata
	.balign	4096
	.globl	bare_image, bare_image_end
bare_image:
	.incbin	BARE_IMAGE
bare_image_end:
#include <bare-returns.S> /* generated */
	.section .note.GNU-stack, "", @progbits
