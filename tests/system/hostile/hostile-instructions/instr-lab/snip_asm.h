/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions for the assembly files of the pieces: places, numbers, outcomes. */
/* clang-format off */
#ifndef SNIP_ASM_H
#define SNIP_ASM_H

#include "../../lib/outcome.h"

	.set	DOMAIN_CODE, 0x10000000
	.set	DOMAIN_DATA, 0x10100000
	.set	NOP_CALL, -4097
	.set	RETURN_CALL, -4096
	.set	BEYOND_CALLS, -4096 - 59	/* the first number without a call */
	.set	INVOKE_SERVER, -9
	.set	FLAG_TF, 0x100
	.set	FLAG_DF, 0x400
	.set	FLAGS_ALL, 0x254dd5 /* all flags that POPF changes at user level, with TF, DF, NT, AC, ID */

/* Addresses of the kernel half, and some non-canonical ones. */
	.set	DIRECT_MAP, 0xffff888000001000
	.set	KERNEL_TEXT, 0xffffffff81000000
	.set	NO_ADDRESS, 0x8000000000000000
	.set	NO_ADDRESS_LOW, 0x0000800000000000

#define V(n) (1 << (n))
#define DE V(0)
#define DB V(1)
#define BP V(3)
#define OF V(4)
#define BR V(5)
#define UD V(6)
#define NP V(11)
#define SS V(12)
#define GP V(13)
#define PF V(14)
#define MF V(16)
#define AC V(17)
#define XM V(19)
#define SYSCALL V(OUT_SYSCALL)
#define MODE V(OUT_MODE)
#define DONE V(OUT_DONE)

	.macro	end status
	mov	$\status, %r13d
	mov	$RETURN_CALL, %rax
	syscall
	.endm

#endif
