/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Manages the stacks of a component that has a pool of them (`stacks` in component.toml, macro
 * LIMPET_STACK_POOL).
 *
 * A thread enters on its entry stack, whose address identifies the thread. It takes a stack of the
 * pool, and releases it before it returns. All threads of a component run on one CPU, so one
 * instruction is atomic among them.
 *
 *   entry stack, 512 bytes for each thread          stack of the pool
 *   +-----------------------+ <- kernel's rsp        +------------------+
 *   | used while the thread |                        | entry stack      |  limpet_thread_id() reads this word
 *   | waits for a stack     |                        | number of stack  |
 *   +-----------------------+                        | frames           |
 *
 * A stack belongs to the thread whose entry stack is in `holder`. A bit of `free` is only a hint: a
 * set bit can belong to a stack that has a holder, and its next taker clears it.
 */
#ifndef RUNTIME_STACK_POOL_H
#define RUNTIME_STACK_POOL_H

#include <limpet/limits.h>

#define POOL_FREE 0
#define POOL_WAITERS 8
#define POOL_SIZE 16
#define POOL_LOWEST 24
#define POOL_TOP 32
#define POOL_HOLDER 40
/* Offsets of the words at the top of a stack, from its last byte. */
#define POOL_ENTRY_WORD -7
#define POOL_NUMBER_WORD -15

#ifdef __ASSEMBLER__
/* clang-format off */
#ifdef LIMPET_STACK_POOL
/*
 * Continues on a stack of the pool. Keeps rax and the message words. If no stack is free, the
 * thread waits, or returns to its caller with LIMPET_ESTACK.
 */
	.macro	limpet_stack_take
	movq	%rsp, %r10
	movq	%rax, %r11
71:	bsfq	__limpet_pool + POOL_FREE(%rip), %rcx
	jz	72f
	btrq	%rcx, __limpet_pool + POOL_FREE(%rip)
	leaq	__limpet_pool + POOL_HOLDER(%rip), %rdx
	xorl	%eax, %eax
	cmpxchgq %r10, (%rdx, %rcx, 8)
	jnz	71b
73:	movq	%rcx, %rdx
	imulq	__limpet_pool + POOL_SIZE(%rip), %rdx
	addq	__limpet_pool + POOL_TOP(%rip), %rdx
	movq	%rdx, %rsp
	pushq	%r10
	pushq	%rcx
	movq	%r11, %rax
	.subsection 1
72:	call	__limpet_stack_wait
	jmp	73b
	.subsection 0
	.endm

/* Releases the stack and continues on the entry stack. Keeps the message words, including r13. */
	.macro	limpet_stack_drop
	movq	__limpet_pool + POOL_SIZE(%rip), %rcx
	decq	%rcx
	orq	%rsp, %rcx
	movq	POOL_NUMBER_WORD(%rcx), %rdx
	movq	POOL_ENTRY_WORD(%rcx), %rsp
	leaq	__limpet_pool + POOL_HOLDER(%rip), %rcx
	movq	$0, (%rcx, %rdx, 8)
	btsq	%rdx, __limpet_pool + POOL_FREE(%rip)
	cmpl	$0, __limpet_pool + POOL_WAITERS(%rip)
	jne	74f
75:
	.subsection 1
74:	call	__limpet_stack_wake
	jmp	75b
	.subsection 0
	.endm
#else
	.macro	limpet_stack_take
	.endm
	.macro	limpet_stack_drop
	.endm
#endif
/* clang-format on */
#else

#include <runtime/types.h>

struct limpet_info;

/*
 * A pool of stacks. It is in the component's data, so a restart makes all stacks free. The macros above use the offsets
 * of its members.
 */
struct stack_pool {
	uint64_t free;	  /* bit n: stack n may be free */
	uint32_t waiters; /* threads that wait for a stack */
	uint32_t count;	  /* stacks that invocations take, 1 to 64; those of own threads follow */
	uint64_t size;	  /* bytes of a stack, its guard page included; a power of two */
	uint64_t lowest;  /* top of the entry stack of thread 0 */
	uint64_t top;	  /* top of stack 0 */
	/* For each stack: top of the entry stack of its holder; 0: no thread has the stack. */
	uint64_t holder[LIMPET_POOL_MAX];
};

extern struct stack_pool __limpet_pool;

/* Makes all stacks free. The start routine calls it before component_init(), on the entry stack. */
void limpet_pool_init(const struct limpet_info *info);
/*
 * Returns the top of the permanent stack of one of the component's own threads, and fills its two
 * top words. `entry` is the top of the thread's entry stack.
 */
word limpet_pool_own(const struct limpet_info *info, word entry);
/* Returns the id of the thread with this entry stack. */
static inline unsigned int limpet_pool_thread(uint64_t entry)
{
	return (unsigned int)((entry - __limpet_pool.lowest) >> LIMPET_ENTRY_SHIFT);
}

/*
 * Waits for a free stack, in the order of priority, and returns its number, 0 to 63. `entry` is the top of the caller's
 * entry stack, on which the caller must be. LIMPET_ESTACK: the system file disables waiting, or the scheduler does not
 * schedule the caller. LIMPET_ECRASH: the scheduler crashed. For components that import sched.
 */
long limpet_stack_wait(word entry);
/*
 * Resumes the thread of highest priority that waits for a stack, if any. For components that import sched. Costs an
 * invocation.
 */
void limpet_stack_wake(void);

#endif
#endif
