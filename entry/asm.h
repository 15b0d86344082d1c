/* SPDX-License-Identifier: GPL-2.0 */
/* What the assembly files share. */
/* clang-format off */
#ifndef ENTRY_ASM_H
#define ENTRY_ASM_H

#include <entry/registers.h>
#include <offsets.h> /* generated */

#define USER_CS 0x33
#define USER_SS 0x2b
#define COMPAT_CS 0x23
#define KERNEL_CS 0x10
#define KERNEL_SS 0x18
#define FLAGS_FIXED 0x202    /* interrupts on */
#define FLAGS_USER 0x254dd5  /* those that user level may change: not IOPL, VM */

/* What trap.S finds on the stack. */
#define F_VECTOR 0
#define F_ERROR 8
#define F_IP 16
#define F_CS 24
#define F_FLAGS 32
#define F_SP 40
#define F_SS 48

#define VECTOR_NMI 2
#define VECTOR_MC 18
#define VECTOR_INTERRUPT 32 /* the first that is no exception */
#define HAS_ERROR 0x60227d00 /* bit n: the processor pushes an error code at vector n */

/* A field of this CPU's struct entry_cpu. */
#define THIS(field) %gs:entry_cpu + ENTRY_##field

/* No function type: nothing here has a C function's stack frame, and Linux's checker knows that. */
#define CODE(name)			\
	.globl	name;			\
	.balign	64;			\
name:					\
	endbr64

/*
 * RET as a jump to an address that was just stored on the stack: it changes no register. The note
 * tells the host's module checker that this return is meant.
 */
.macro jump_ret
.Lret\@:
	.pushsection .discard.retpoline_safe, "", @progbits
	.long	.Lret\@ - .
	.popsection
	ret
	int3
.endm

/* Registers that never carry anything to user level. rcx and r11 hold its ip and flags. */
.macro clear_scratch
	xor	%edx, %edx
	xor	%esi, %esi
	xor	%edi, %edi
	xor	%r8d, %r8d
	xor	%r9d, %r9d
	xor	%r10d, %r10d
.endm

.macro clear_words
	xor	%ebx, %ebx
	xor	%ebp, %ebp
	xor	%r12d, %r12d
	xor	%r13d, %r13d
	xor	%r14d, %r14d
	xor	%r15d, %r15d
.endm

/*
 * The last thing before user level: on processors with the MDS family of flaws VERW overwrites the
 * buffers that user level could sample; on others it does nothing.
 */
.macro clear_buffers
	verw	verw_selector(%rip)
.endm

#endif
