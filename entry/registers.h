/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of registers for all assembly of kernel mode. The arguments of a list are STORE or FETCH, the prefix of the
 * generated field offsets (PREFIX_BX ...), and the register that points to the structure. Example:
 * EACH_WORD(STORE, REG, %rsi).
 */
/* clang-format off */
#ifndef ENTRY_REGISTERS_H
#define ENTRY_REGISTERS_H

#define STORE(register, field) mov %register, field;
#define FETCH(register, field) mov field, %register;

/* Registers that C functions preserve. */
#define EACH_WORD(op, prefix, base) \
	op(rbx, prefix##_BX(base)) \
	op(rbp, prefix##_BP(base)) \
	op(r12, prefix##_R12(base)) \
	op(r13, prefix##_R13(base)) \
	op(r14, prefix##_R14(base)) \
	op(r15, prefix##_R15(base))

/* The other registers, except ax, cx, si and r11, which the entry code uses itself. */
#define EACH_ARGUMENT(op, prefix, base) \
	op(rdx, prefix##_DX(base)) \
	op(rdi, prefix##_DI(base)) \
	op(r8, prefix##_R8(base)) \
	op(r9, prefix##_R9(base)) \
	op(r10, prefix##_R10(base))

/* A guest's registers, except ax and sp, which VMRUN exchanges, and di, which is the base. */
#define EACH_GUEST(op, prefix, base) \
	op(rbx, prefix##_BX(base)) \
	op(rcx, prefix##_CX(base)) \
	op(rdx, prefix##_DX(base)) \
	op(rsi, prefix##_SI(base)) \
	op(rbp, prefix##_BP(base)) \
	op(r8, prefix##_R8(base)) \
	op(r9, prefix##_R9(base)) \
	op(r10, prefix##_R10(base)) \
	op(r11, prefix##_R11(base)) \
	op(r12, prefix##_R12(base)) \
	op(r13, prefix##_R13(base)) \
	op(r14, prefix##_R14(base)) \
	op(r15, prefix##_R15(base))

/* Push and pop the registers that C functions preserve. */
.macro push_saved
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
.endm

.macro pop_saved
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
.endm

#endif
