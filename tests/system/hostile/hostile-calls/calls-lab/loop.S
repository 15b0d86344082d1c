/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code of the hostile component. Its threads make the calls in its data. Each call is made once, by the first thread
 * that takes it. The stack pointer holds the place of the call, because it is the only register that all calls
 * preserve. Therefore there is no stack. The status is stored after the call.
 */
	.set	DATA, 0x10100000 /* struct batch */
	.set	NEXT, DATA + 0
	.set	COUNT, DATA + 8
	.set	DIRTY, DATA + 16
	.set	DIRTY_SCRATCH, DATA + 24
	.set	DIRTY_FLAGS, DATA + 32
	.set	DIRTY_PLACE, DATA + 40
	.set	CALLS, DATA + 64
	.set	CALL_SIZE, 64
	.set	STATUS, 56
	.set	MARK, 0x4d41524b

	.section .rodata.loop_code, "a", @progbits
	.globl	loop_code, loop_code_end
	.hidden	loop_code, loop_code_end
loop_code:
	mov	$1, %ecx
	lock xadd %rcx, NEXT
	cmp	COUNT, %rcx
	jae	3f
	imul	$CALL_SIZE, %rcx, %rcx
	lea	CALLS(%rcx), %rsp
	mov	0(%rsp), %rax
	mov	8(%rsp), %rbx
	mov	16(%rsp), %rbp
	mov	24(%rsp), %r12
	mov	32(%rsp), %r13
	mov	40(%rsp), %r14
	mov	48(%rsp), %r15
	mov	$MARK, %edx
	mov	%rax, %r9
	syscall
	cmp	$MARK, %rdx		/* a repaired fault leaves all registers unchanged */
	jne	1f
	cmp	%rax, %r9
	je	loop_code
1:	mov	%rax, STATUS(%rsp)
	or	%rdx, %rsi
	or	%rdi, %rsi
	or	%r8, %rsi
	or	%r9, %rsi
	or	%r10, %rsi
	jnz	2f
	cmp	$0x202, %r11
	je	loop_code
2:	mov	%rsi, DIRTY_SCRATCH
	mov	%r11, DIRTY_FLAGS
	mov	%rsp, DIRTY_PLACE
	lock incq DIRTY
	jmp	loop_code
3:	xor	%ebx, %ebx
	xor	%ebp, %ebp
	xor	%r12d, %r12d
	mov	$77, %r13d
	mov	$-4096, %rax
	syscall
	ud2
loop_code_end:
	.section .note.GNU-stack, "", @progbits
