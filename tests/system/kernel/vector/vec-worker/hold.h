/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fills and reads all registers that belong to a thread and that a kernel may fail to preserve. Components and Linux
 * programs use it, with the arguments in the same registers.
 */
#ifndef VECTOR_HOLD_H
#define VECTOR_HOLD_H

#include <stdint.h>

struct vectors {
	uint64_t ymm[16][4];
	int64_t x87[8];
	uint64_t fs, gs;
	uint32_t mxcsr;
	uint16_t control, unused;
};

/*
 * Fills the registers from *in. With call = 0 it then computes until the time stamp is `arg`. Otherwise it executes
 * `syscall` with rax = call, rbx = rdi = arg and no other words. Then it stores the registers in *out. Returns the
 * call's status.
 */
long vectors_hold(const struct vectors *in, struct vectors *out, long call, uint64_t arg);

#define EACH_16 "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"

asm(".text\n"
    ".globl vectors_hold\n"
    ".hidden vectors_hold\n"
    ".type vectors_hold, @function\n"
    "vectors_hold:\n"
    "	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
    "	push %rsi\n"
    "	mov 576(%rdi), %r8; wrfsbase %r8\n"
    "	mov 584(%rdi), %r8; wrgsbase %r8\n"
    "	fninit; fldcw 596(%rdi)\n"
    "	.irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "	fildll 512+8*\\n(%rdi)\n"
    "	.endr\n"
    "	ldmxcsr 592(%rdi)\n"
    "	.irp n, " EACH_16 "\n"
    "	vmovups 32*\\n(%rdi), %ymm\\n\n"
    "	.endr\n"
    "	mov %rcx, %rbx\n"
    "	mov %rdx, %rax\n"
    "	test %rax, %rax; jz 2f\n"
    "	mov %rcx, %rdi\n"
    "	xor %esi, %esi; xor %ebp, %ebp; xor %r12d, %r12d\n"
    "	xor %r13d, %r13d; xor %r14d, %r14d; xor %r15d, %r15d\n"
    "	syscall\n"
    "	mov %rax, %rcx\n"
    "	jmp 3f\n"
    "2:	rdtsc; shl $32, %rdx; or %rdx, %rax\n"
    "	cmp %rbx, %rax; jb 2b\n"
    "	xor %ecx, %ecx\n"
    "3:	pop %rsi\n"
    "	.irp n, " EACH_16 "\n"
    "	vmovups %ymm\\n, 32*\\n(%rsi)\n"
    "	.endr\n"
    "	stmxcsr 592(%rsi)\n"
    "	fnstcw 596(%rsi)\n"
    "	.irp n, 7, 6, 5, 4, 3, 2, 1, 0\n"
    "	fistpll 512+8*\\n(%rsi)\n"
    "	.endr\n"
    "	rdfsbase %r8; mov %r8, 576(%rsi)\n"
    "	rdgsbase %r8; mov %r8, 584(%rsi)\n"
    "	movl $0x1f80, -8(%rsp); ldmxcsr -8(%rsp)\n"
    "	fninit; vzeroupper\n"
    "	mov %rcx, %rax\n"
    "	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
    "	ret\n"
    ".size vectors_hold, . - vectors_hold\n");

static inline uint64_t vectors_random(uint64_t *seed)
{
	uint64_t x = *seed;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*seed = x;
	return x * 0x2545f4914f6cdd1dull;
}

/* Fills *v with the next pattern of the seed. The FS base is the caller's, if it has one. */
static inline void vectors_fill(struct vectors *v, uint64_t *seed, uint64_t fs)
{
	uint64_t r = vectors_random(seed);

	for (unsigned int i = 0; i < 64; i++)
		v->ymm[i / 4][i % 4] = vectors_random(seed);
	for (unsigned int i = 0; i < 8; i++)
		v->x87[i] = (int64_t)vectors_random(seed);
	v->fs = fs ? fs : vectors_random(seed) >> 18;
	v->gs = vectors_random(seed) >> 18;
	v->mxcsr = 0x1f80 | (r & 3) << 13 | (r & 4) << 13 | (r & 8) << 3;
	v->control = (uint16_t)(0x7f | (r & 0x10 ? 0x300 : 0x200) | (r >> 8 & 3) << 10);
	v->unused = 0;
}

/* Returns the name of the first difference, or NULL. */
static inline const char *vectors_differ(const struct vectors *a, const struct vectors *b)
{
	for (unsigned int i = 0; i < 64; i++)
		if (a->ymm[i / 4][i % 4] != b->ymm[i / 4][i % 4])
			return i % 4 < 2 ? "an xmm register" : "the upper half of a ymm register";
	for (unsigned int i = 0; i < 8; i++)
		if (a->x87[i] != b->x87[i])
			return "an x87 register";
	if (a->fs != b->fs)
		return "the FS base";
	if (a->gs != b->gs)
		return "the GS base";
	if (a->mxcsr != b->mxcsr)
		return "MXCSR";
	return a->control != b->control ? "the x87 control word" : 0;
}

#endif
