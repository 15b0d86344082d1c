/* SPDX-License-Identifier: GPL-2.0 */
/* Macros and constants of all assembly files. */
/* clang-format off */
#ifndef ENTRY_ASM_H
#define ENTRY_ASM_H

#include <entry/notes.h>
#include <entry/registers.h>
#include <offsets.h> /* generated */

#define USER_CS 0x33
#define USER_SS 0x2b
#define COMPAT_CS 0x23
#define KERNEL_CS 0x10
#define KERNEL_SS 0x18
#define FLAGS_FIXED 0x202    /* interrupts on */
#define FLAGS_USER 0x254dd5  /* flags that user level may change: not IOPL, VM */

/* The stack frame of trap.S. */
#define F_VECTOR 0
#define F_ERROR 8
#define F_IP 16
#define F_CS 24
#define F_FLAGS 32
#define F_SP 40
#define F_SS 48

#define VECTOR_NMI 2
#define VECTOR_MC 18
#define VECTOR_INTERRUPT 32 /* first vector that is not an exception */
#define HAS_ERROR 0x60227d00 /* bit n: the processor pushes an error code at vector n */

/* A field of this CPU's struct entry_cpu. */
#define THIS(field) %gs:entry_cpu + ENTRY_##field

/* The symbols have no function type, so that Linux's checker does not expect the stack frame of a C function. */
#define CODE(name)			\
	.globl	name;			\
	.balign	64;			\
name:					\
	endbr64

/*
 * Jumps to an address that was just stored on the stack, and changes no register. Linux patches it as it patches all
 * returns: to a plain RET, or to a jump to the return thunk that this processor needs.
 */
.macro jump_ret
	jmp	__x86_return_thunk
.endm

/*
 * Passes an exception in our kernel to the host, on the stack that a stub of entry_stub_table leaves. The handler's
 * address, from `table`, replaces the vector if there is an error code, else the error code that the stub pushed.
 * `jump` is a macro that jumps to the address on the stack. Changes the flags.
 */
.macro pass_exception table:req, jump:req
	push	%rax
	push	%rcx
	mov	16 + F_VECTOR(%rsp), %rcx
	mov	\table(, %rcx, 8), %rax
	cmp	$VECTOR_INTERRUPT, %rcx
	jae	.Lknown\@		/* carry: there is an error code */
	push	%rdx
	mov	$HAS_ERROR, %edx
	bt	%ecx, %edx
	pop	%rdx
.Lknown\@: mov	%rax, 16 + F_VECTOR(%rsp)
	jc	.Lerror\@
	mov	%rax, 16 + F_ERROR(%rsp)
.Lerror\@: pop	%rcx
	pop	%rax
	jc	.Lgo\@
	lea	F_ERROR(%rsp), %rsp
.Lgo\@:	\jump
.endm

/*
 * Passes the interrupt with vector r12 to the host as one that arrived in the kernel, on the current stack. The
 * handler returns to `to`, with interrupts on. Changes rax, rcx and rbp.
 */
.macro pass_interrupt to:req
	mov	%rsp, %rax
	push	$KERNEL_SS
	push	%rax
	push	$FLAGS_FIXED
	push	$KERNEL_CS
	lea	\to(%rip), %rcx
	push	%rcx
	push	entry_host_vector(, %r12, 8)
	xor	%ebp, %ebp		/* ends the host's walks over the stack */
	jump_ret
.endm

/*
 * Does the same with an NMI or machine check, whose handler runs on the current stack, which has the frame of trap.S.
 * The handler returns to `to`, with interrupts off and the stack pointer `sp`. Changes rax.
 */
.macro pass_ist sp:req, to:req
	lea	\to(%rip), %rax
	mov	%rax, F_IP(%rsp)
	movq	$KERNEL_CS, F_CS(%rsp)
	movq	$2, F_FLAGS(%rsp)
	mov	\sp, %rax
	mov	%rax, F_SP(%rsp)
	movq	$KERNEL_SS, F_SS(%rsp)
	mov	entry_host_vector(, %r12, 8), %rax
	mov	%rax, F_ERROR(%rsp)
	lea	F_ERROR(%rsp), %rsp
	jump_ret
.endm

/*
 * Jumps to the address in a variable of the host. Attach replaces it with a direct jump
 * (beside/text.c), because an indirect jump can be mispredicted, and all registers are in use.
 * `site` is the name of the instruction.
 */
.macro jump_host site:req, variable:req
	.globl	\site
\site:
	meant
	no_target
	jmp	*\variable(%rip)
	int3
.endm

/*
 * Calls the function that untrains returns, in the layer only. Attach writes the call if the processor needs it. May
 * change rax.
 */
.macro untrain_here
.Luntrain\@:
	.pushsection .guards, "a", @progbits
	.quad	.Luntrain\@
	.popsection
	meant
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00	/* a NOP as long as the call */
.endm

/*
 * Fills the return stack buffer as Linux does: with calls whose return addresses are never used by a return. `count` is
 * a register of 32 bits. Changes it and the flags. No return is executed speculatively before the LFENCE.
 */
#define RETURNS 32 /* entries of the largest return stack buffer */
.macro fill_returns count:req
	mov	$RETURNS / 2, \count
.Lfill\@:
	.rept	2
	note	intra_function_calls, 7
	call	. + 6			/* past the INT3 */
	int3
	.endr
	add	$16, %rsp
	dec	\count
	jnz	.Lfill\@
	lfence
.endm

/* The 256 stubs that the gates of an IDT point to, ENTRY_STUB bytes each: see trap.S. */
.macro entry_stub_table name:req, to:req
	.globl	\name, \to
	.balign	64
\name:
	.set	vector, 0
	.rept	256
	.balign	16
	endbr64
	.if	vector >= VECTOR_INTERRUPT
	push	$0
	.elseif	!(HAS_ERROR >> (vector & 31) & 1)
	push	$0
	.endif
	push	$vector
	jmp	\to
	.set	vector, vector + 1
	.endr
.endm

/* Clears the registers that carry no data to user level. rcx and r11 hold its ip and flags. */
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
 * Executed last before user level. On processors with the MDS family of flaws VERW overwrites the
 * buffers that user level could sample. On others it has no effect.
 */
.macro clear_buffers
	verw	verw_selector(%rip)
.endm

#endif
