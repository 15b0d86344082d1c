/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread that another one diverts continues here. */
#include <runtime/divert.h>

	.text
	limpet_diverted_entry rtlinux_interrupt, rtlinux_interrupted

	.section .note.GNU-stack, "", @progbits
