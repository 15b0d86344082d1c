/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated from interface echo, version 1, by tools/compose. Do not edit. */
#ifndef IMPORT_ECHO_H
#define IMPORT_ECHO_H

#include <runtime/types.h>

#define ECHO_VERSION 1

#ifndef LIMPET_IMPORT
#define LIMPET_IMPORT static inline __attribute__((always_inline))
/*
 * Registers that an invocation changes besides the message registers. rbp is one of these, so a component
 * is built with -fomit-frame-pointer, and a function with alloca or a variable-length array cannot
 * invoke.
 */
#define LIMPET_IMPORT_CLOBBERS \
	"rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc", "memory" LIMPET_IMPORT_VECTORS
#ifdef LIMPET_FPU
/* Vector registers are cleared, so that the server sees none, and not trusted afterwards. */
#ifdef __AVX512F__
#error "these stubs do not clear AVX-512 registers: build the component without them"
#endif
#ifdef __AVX__
#define LIMPET_IMPORT_UPPER "vzeroupper\n\t"
#else
#define LIMPET_IMPORT_UPPER ""
#endif
#define LIMPET_IMPORT_CLEAN "fxrstor64 __limpet_clean(%%rip)\n\t" LIMPET_IMPORT_UPPER
#define LIMPET_IMPORT_AGAIN "\n\tfxrstor64 __limpet_clean(%%rip)"
#define LIMPET_IMPORT_VECTORS , "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", \
	"st(7)", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
	"xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
asm(
    ".pushsection .rodata.limpet_clean, \"aG\", @progbits, __limpet_clean, comdat\n"
    ".balign 64\n"
    ".weak __limpet_clean\n"
    ".hidden __limpet_clean\n"
    "__limpet_clean: .short 0x37f, 0, 0, 0\n"
    ".quad 0, 0\n"
    ".long 0x1f80, 0\n"
    ".zero 480\n"
    ".popsection\n");
#else
#define LIMPET_IMPORT_CLEAN
#define LIMPET_IMPORT_AGAIN
#define LIMPET_IMPORT_VECTORS
#endif
#endif

#ifndef ECHO_IDS
#define ECHO_IDS
enum {
	ECHO_ID_NONE = 0,
	ECHO_ID_FOUR = 1,
	ECHO_ID_SIX = 2,
};
#endif

/*
 * Gives back what it gets; only for tests. Each function returns 0 or more, or a negative
 * LIMPET_E... value; results mean something when it is not negative.
 */

#ifdef LIMPET_FAKE_KERNEL

long echo_none(void);

long echo_four(word a, word b, word c, word d, word *x, word *y, word *z);

long echo_six(word a, word b, word c, word d, word e, word f, word *low, word *high);

#else

/* Nothing in, nothing out. */
LIMPET_IMPORT long echo_none(void)
{
	long limpet_status;
	register word limpet_rbx asm("rbx") = 0;
	register word limpet_rbp asm("rbp") = 0;
	register word limpet_r12 asm("r12") = 0;
	register word limpet_r13 asm("r13") = 0;
	register word limpet_r14 asm("r14") = 0;
	register word limpet_r15 asm("r15") = 0;

	asm volatile(LIMPET_IMPORT_CLEAN
		     "movq $__limpet_import_echo_none, %%rax\n\t"
		     "syscall" LIMPET_IMPORT_AGAIN
		     : "=a"(limpet_status), "+r"(limpet_rbx), "+r"(limpet_rbp),
		       "+r"(limpet_r12), "+r"(limpet_r13), "+r"(limpet_r14), "+r"(limpet_r15)
		     :
		     : LIMPET_IMPORT_CLOBBERS);
	return limpet_status;
}

/*
 * Four words in, three out. a: Comes back as the status (0 to 2^31). b: Comes back as x. c:
 * Comes back as y. d: Comes back as z (ticks). Stores x: b; y: c; z: d. Errors: LIMPET_ERANGE: a
 * is above 2^31.
 */
LIMPET_IMPORT long echo_four(word a, word b, word c, word d, word *x, word *y, word *z)
{
	long limpet_status;
	register word limpet_rbx asm("rbx") = a;
	register word limpet_rbp asm("rbp") = b;
	register word limpet_r12 asm("r12") = c;
	register word limpet_r13 asm("r13") = d;
	register word limpet_r14 asm("r14") = 0;
	register word limpet_r15 asm("r15") = 0;

	asm volatile(LIMPET_IMPORT_CLEAN
		     "movq $__limpet_import_echo_four, %%rax\n\t"
		     "syscall" LIMPET_IMPORT_AGAIN
		     : "=a"(limpet_status), "+r"(limpet_rbx), "+r"(limpet_rbp),
		       "+r"(limpet_r12), "+r"(limpet_r13), "+r"(limpet_r14), "+r"(limpet_r15)
		     :
		     : LIMPET_IMPORT_CLOBBERS);
	*x = limpet_rbx;
	*y = limpet_rbp;
	*z = limpet_r12;
	return limpet_status;
}

/*
 * Six words in, two out: the pointer to the results stands on the stack. a: First. b: Second. c:
 * Third. d: Fourth. e: Fifth. f: Sixth. Stores low: a + b + c; high: d + e + f.
 */
LIMPET_IMPORT long echo_six(word a, word b, word c, word d, word e, word f, word *low, word *high)
{
	long limpet_status;
	register word limpet_rbx asm("rbx") = a;
	register word limpet_rbp asm("rbp") = b;
	register word limpet_r12 asm("r12") = c;
	register word limpet_r13 asm("r13") = d;
	register word limpet_r14 asm("r14") = e;
	register word limpet_r15 asm("r15") = f;

	asm volatile(LIMPET_IMPORT_CLEAN
		     "movq $__limpet_import_echo_six, %%rax\n\t"
		     "syscall" LIMPET_IMPORT_AGAIN
		     : "=a"(limpet_status), "+r"(limpet_rbx), "+r"(limpet_rbp),
		       "+r"(limpet_r12), "+r"(limpet_r13), "+r"(limpet_r14), "+r"(limpet_r15)
		     :
		     : LIMPET_IMPORT_CLOBBERS);
	*low = limpet_rbx;
	*high = limpet_rbp;
	return limpet_status;
}

#endif

#endif
