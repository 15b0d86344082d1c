/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guarded entries, for assembly: each loads a stack, does what the processor needs against speculation, and continues
 * in syscall.S or trap.S with all registers unchanged. Before this file, the includer defines three macros:
 *
 *   entry_begin   a note for checkers, at the first instruction
 *   guard call    on a stack: makes returns safe; no register changes; `call` is 1 at a system call
 *   untrain       on a stack: only that which an NMI in the kernel needs; may change rax
 */
/* clang-format off */
	.text
CODE(guard_syscall)
	entry_begin
	swapgs
	mov	%rsp, THIS(USER_SP)
	mov	THIS(STACK), %rsp
	guard	call=1
	jmp	syscall_continue

CODE(guard_cstar)
	entry_begin
	swapgs
	mov	%rsp, THIS(USER_SP)
	mov	THIS(STACK), %rsp
	guard	call=1
	jmp	cstar_continue

	entry_stub_table guard_stubs, guard_trap

	.balign	64
guard_trap:
	entry_begin
	testb	$3, F_CS(%rsp)
	jz	1f
	swapgs
	lfence				/* no speculation on the wrong GS base */
	guard	call=0
	jmp	trap_user
1:	push	%rax			/* the interrupted entry has perhaps not come to its own guard */
	untrain
	pop	%rax
	jmp	trap_kernel
