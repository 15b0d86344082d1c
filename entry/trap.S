/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupts and exceptions while components run: the targets of the 256 gates of our IDT.
 *
 * The IDT has the host's stack table indices, so the processor has pushed its frame on the stack
 * that the host would use (its entry stack, or the NMI, #MC, #DB or #DF stack). The stubs have
 * added two words:
 *
 *   rsp -> vector | error code or 0 | ip | cs | flags | sp | ss
 *
 *   arrives from     what              GS       CR3         goes to
 *   component        exception         user     component   entry_exception, on our stack
 *   component        interrupt         user     component   the host's handler, as from the kernel, on the
 *                                                           host thread's stack, CR3 the host's: beside.S
 *   component        NMI, #MC          user     component   the same, on this stack
 *   kernel (ours)    NMI, #MC, #DB     either   any         the host's handler, untouched
 *
 * IF = 0 throughout. Vector registers are not changed, because the host takes them for the host
 * thread's.
 */
#include <entry/asm.h>

	.text
	entry_stub_table entry_stubs, entry_trap

	.balign	64
entry_trap:
	testb	$3, F_CS(%rsp)
	jz	trap_kernel
	swapgs
	lfence				/* no speculation on the wrong GS base */
	.globl	trap_user
trap_user:
	cld
	mov	%rsi, THIS(SCRATCH)
	cmpb	$INSIDE_GUEST, THIS(INSIDE)
	je	4f
	mov	THIS(CPU), %rsi
	mov	CPU_THREAD(%rsi), %rsi
3:	EACH_WORD(STORE, REG, %rsi)
	mov	%rax, REG_AX(%rsi)
	mov	%rcx, REG_CX(%rsi)
	EACH_ARGUMENT(STORE, REG, %rsi)
	mov	%r11, REG_R11(%rsi)
	mov	THIS(SCRATCH), %rax
	mov	%rax, REG_SI(%rsi)
	mov	F_IP(%rsp), %rax
	mov	%rax, REG_IP(%rsi)
	mov	F_CS(%rsp), %rax
	mov	%rax, REG_CS(%rsi)
	mov	F_FLAGS(%rsp), %rax
	mov	%rax, REG_FLAGS(%rsi)
	mov	F_SP(%rsp), %rax
	mov	%rax, REG_SP(%rsi)
	movq	$1, REG_FULL(%rsi)
	pushf				/* AC off: supervisor access protection on */
	andl	$~0x40000, (%rsp)
	popf

	cmpb	$INSIDE_GUEST, THIS(INSIDE)
	je	trap_guest		/* guest.S; the selectors are the guest's, as FS base and GS base */
	call	hal_selectors_clear	/* they are not part of a thread's state */
	mov	F_VECTOR(%rsp), %rsi
	cmp	$VECTOR_INTERRUPT, %rsi
	jae	trap_host
	cmp	$VECTOR_NMI, %rsi
	je	trap_host
	cmp	$VECTOR_MC, %rsi
	je	trap_host
	mov	F_ERROR(%rsp), %rdx
	mov	%cr2, %rcx
	mov	THIS(CPU), %rdi
	mov	THIS(STACK), %rsp
	call	entry_exception
	jmp	exit_slow
4:	mov	THIS(GUEST), %rsi	/* the executive of a guest */
	mov	GUEST_THREAD(%rsi), %rsi
	jmp	3b

	.section .note.GNU-stack, "", @progbits
