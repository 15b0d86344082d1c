/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Accesses to the address in r14 (word 4). Each record has its name, its code, and the offset of the instruction that
 * has to fault. The handler must get exactly that address.
 */
	.set	READ, 0
	.set	WRITE, 1
	.set	EXECUTE, 2
	.set	MODIFY, 3

	.macro	access name, kind, stack, setup, instruction
	.section .rodata.access_names, "a", @progbits
880:	.asciz	"\name"
	.section .rodata.access_code, "a", @progbits
881:	\setup
882:	\instruction
883:
	.section .data.rel.ro.accesses, "aw", @progbits
	.quad	880b, 881b, 882b, 883b, \kind, \stack
	.endm

	.section .data.rel.ro.accesses, "aw", @progbits
	.balign	8
	.globl	accesses
	.hidden	accesses
accesses:
	access	"read 1", READ, 0, "", "movb (%r14), %al"
	access	"read 2", READ, 0, "", "movw (%r14), %ax"
	access	"read 4", READ, 0, "", "movl (%r14), %eax"
	access	"read 8", READ, 0, "", "mov (%r14), %rax"
	access	"read 16", READ, 0, "", "movups (%r14), %xmm0"
	access	"read, x87", READ, 0, "", "fldl (%r14)"
	access	"read, string", READ, 0, "mov %r14, %rsi; movl $0x10100000, %edi; movl $64, %ecx", "rep movsb"
	access	"read, compare", READ, 0, "", "cmpq $0, (%r14)"
	access	"read, jump through", READ, 0, "", "jmp *(%r14)"
	access	"read, load of MXCSR", READ, 0, "", "ldmxcsr (%r14)"
	access	"read, FXRSTOR", READ, 0, "and $-64, %r14", "fxrstor64 (%r14)"
	access	"read, pop", READ, 1, "mov %r14, %rsp", "pop %rax"
	access	"read, ret", READ, 1, "mov %r14, %rsp", "ret"
	access	"read, popf", READ, 1, "mov %r14, %rsp", "popf"
	access	"read, leave", READ, 1, "mov %r14, %rbp", "leave"
	access	"write 1", WRITE, 0, "", "movb %al, (%r14)"
	access	"write 2", WRITE, 0, "", "movw %ax, (%r14)"
	access	"write 4", WRITE, 0, "", "movl %eax, (%r14)"
	access	"write 8", WRITE, 0, "", "mov %rax, (%r14)"
	access	"write 16", WRITE, 0, "", "movups %xmm0, (%r14)"
	access	"write, not cached", WRITE, 0, "", "movnti %rax, (%r14)"
	access	"write, x87", WRITE, 0, "", "fstpl (%r14)"
	access	"write, string", WRITE, 0, "mov %r14, %rdi; movl $64, %ecx", "rep stosb"
	access	"modify, add", MODIFY, 0, "", "lock addq $1, (%r14)"
	access	"modify, exchange", MODIFY, 0, "", "xchg %rax, (%r14)"
	access	"modify, compare and exchange", MODIFY, 0, "", "lock cmpxchg %rbx, (%r14)"
	access	"modify, 16 bytes compared", MODIFY, 0, "and $-16, %r14", "lock cmpxchg16b (%r14)"
	access	"write, FXSAVE", WRITE, 0, "and $-64, %r14", "fxsave64 (%r14)"
	access	"write, push", WRITE, 1, "lea 8(%r14), %rsp", "push %rax"
	access	"write, call", WRITE, 1, "lea 8(%r14), %rsp", "call 884f; 884:"
	access	"write, pushf", WRITE, 1, "lea 8(%r14), %rsp", "pushf"
	access	"execute, jump", EXECUTE, 0, "", "jmp *%r14"
	access	"execute, call", EXECUTE, 0, "", "call *%r14"
	access	"execute, return", EXECUTE, 0, "push %r14", "ret"
	.section .data.rel.ro.accesses, "aw", @progbits
	.globl	accesses_end
	.hidden	accesses_end
accesses_end:

	.section .note.GNU-stack, "", @progbits
