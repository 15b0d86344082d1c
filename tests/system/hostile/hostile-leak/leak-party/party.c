// SPDX-License-Identifier: BSD-2-Clause
/*
 * Several of these components share a CPU. Each checks only its own registers. A value that it did not store there came
 * from another component.
 */
#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/pong.h>
#include <import/sched.h>

#include "../../lib/lab.h"
#include "state.h"

#define SECRET 5
#define FLAGS 0x202ul
#define FLAGS_KEPT 0x240400ul		 /* ID, AC, DF: the loop does not change these */
#define KERNEL_HALF 0xff00000000000000ul /* with five levels of page tables */
#define COMPLAINTS 8
#define KEYS 9 /* number of PKRU's XSAVE state */
#define LEGACY_SIZE 512
#define AVX_AT 576
#define AVX_SIZE 256
#define MXCSR 0x1f80u
#define X87_CONTROL 0x37f

extern const char __limpet_start[];
enum { RAX = 0, RCX = 2, RSP = 7, R11 = 11 }; /* indices in struct state */

static word party; /* number, in the upper bits of all values */
static unsigned int complaints;
static uint64_t looks;
static unsigned char keys_area[STATE_VECTOR_SIZE] __attribute__((aligned(64)));
static uint32_t keys_at, keys_wanted; /* offset of PKRU in an XSAVE area or 0, and its value */

static word pattern(unsigned int n)
{
	if (party == SECRET)
		return 0x5ec2e70000000000ul | looks << 8 | n;
	return 0x0b5e700000000000ul | party << 40 | (looks & 0xffffff) << 8 | n;
}

static const char *kind(word value)
{
	if (value >> 40 == 0x5ec2e7)
		return "a secret";
	if (value >> 44 == 0x0b5e7)
		return "another party's value";
	return value >= KERNEL_HALF && value != ~0ul ? "a value of the kernel" : "a value";
}

static void complain(const char *where, unsigned int n, word value, word wanted)
{
	if (complaints++ < COMPLAINTS)
		lab_fail(where, "%s in register %u: %lx, wanted %lx, look %lu", kind(value), n,
			 value, wanted, looks);
}

static void expect(const char *where, unsigned int n, word value, word wanted)
{
	if (value != wanted)
		complain(where, n, value, wanted);
}

static void verdict(const char *name)
{
	if (!complaints)
		lab_pass(name);
	else if (complaints > COMPLAINTS)
		lab_fail(name, "%u more complaints", complaints - COMPLAINTS);
	complaints = 0;
}

/* Finds the x87, SSE and AVX state that the processor and Linux permit. */
static void mask_find(void)
{
	uint32_t low, high;

	asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	state_mask = low & 7;
}

/* Finds where XSAVE stores PKRU, if Linux uses protection keys. */
static void keys_find(void)
{
	uint32_t low, high, a = 0xd, c = KEYS;

	asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	asm volatile("cpuid" : "+a"(a), "=b"(keys_at), "+c"(c), "=d"(high));
	if (!(low >> KEYS & 1) || keys_at + sizeof(uint32_t) > sizeof(keys_area))
		keys_at = 0;
	lab_pass(keys_at ? "protection keys are loaded and checked"
			 : "protection keys are not checked, because XCR0 lacks them");
}

/* WRPKRU is an invalid instruction here, but XRSTOR can load PKRU. */
static void keys_load(uint32_t value)
{
	const uint64_t mask = 1u << KEYS;

	keys_wanted = value;
	if (!keys_at)
		return;
	memset(keys_area, 0, sizeof(keys_area));
	memcpy(keys_area + LEGACY_SIZE, &mask, sizeof(mask));
	memcpy(keys_area + keys_at, &value, sizeof(value));
	asm volatile("xrstor64 %0" : : "m"(keys_area), "a"(1u << KEYS), "d"(0));
}

/* The kernel can clear PKRU at any time. A thread must never see the value of another one. */
static void keys_check(const char *where)
{
	uint32_t value;

	if (!keys_at)
		return;
	memset(keys_area, 0, sizeof(keys_area));
	asm volatile("xsave64 %0" : "+m"(keys_area) : "a"(1u << KEYS), "d"(0));
	memcpy(&value, keys_area + keys_at, sizeof(value));
	if (value)
		expect(where, 5000, value, keys_wanted);
}

/*
 * Returns whether a word of an XSAVE area is this component's own: not MXCSR's mask, an instruction pointer, or
 * reserved.
 */
static bool vector_word(size_t at)
{
	if (at >= AVX_AT)
		return state_mask & 4 && at < AVX_AT + AVX_SIZE;
	return at >= 32 && at < 416; /* registers ST0 to 7, XMM0 to 15 */
}

static void vector_fill(unsigned char *area)
{
	memset(area, 0, STATE_VECTOR_SIZE);
	for (size_t at = 32; at < STATE_VECTOR_SIZE; at += 8) {
		word value = pattern(0x80 + (unsigned int)(at / 8 & 0x7f));

		if (!vector_word(at))
			continue;
		if (at < 160 && at % 16 == 8)
			value &= 0xffff; /* an x87 register has 80 bits */
		memcpy(area + at, &value, sizeof(value));
	}
	*(uint16_t *)(void *)area = X87_CONTROL & ~0x3f; /* own values of the controls, too */
	*(uint32_t *)(void *)(area + 24) = MXCSR | 0x8040;
	*(uint64_t *)(void *)(area + LEGACY_SIZE) = state_mask;
}

static word word_at(const unsigned char *area, size_t at)
{
	word value;

	memcpy(&value, area + at, sizeof(value));
	return value;
}

static void vector_check(const char *where, const struct state *found, const struct state *wanted)
{
	for (size_t at = 32; at < AVX_AT + AVX_SIZE; at += 8)
		if (vector_word(at))
			expect(where, 1000 + (unsigned int)at, word_at(found->vector, at),
			       word_at(wanted->vector, at));
	expect(where, 1000, *(const uint16_t *)(const void *)found->vector,
	       *(const uint16_t *)(const void *)wanted->vector);
	expect(where, 1024, *(const uint32_t *)(const void *)(found->vector + 24),
	       *(const uint32_t *)(const void *)(wanted->vector + 24));
	keys_check(where);
	expect(where, 136, found->fs, wanted->fs);
	expect(where, 144, found->gs, wanted->gs);
}

static void selectors_check(const char *where, const struct state *found)
{
	for (unsigned int i = 0; i < 4; i++)
		expect(where, 152 + i, found->selector[i], 0);
}

/* Checks the initial register values of a thread or an invocation. */
static void check_begin(const char *where, const struct state *s, word rax, word sp, bool thread)
{
	static struct state fresh;

	for (unsigned int n = 0; n < STATE_GENERAL; n++)
		if (n != RAX && n != RCX && n != RSP && n != R11)
			expect(where, n, s->general[n], 0);
	expect(where, RAX, s->general[RAX], rax);
	expect(where, RSP, s->general[RSP], sp);
	expect(where, RCX, s->general[RCX], (word)__limpet_start);
	expect(where, R11, s->general[R11], FLAGS);
	selectors_check(where, s);
	if (!thread)
		return;
	memset(&fresh, 0, sizeof(fresh));
	*(uint16_t *)(void *)fresh.vector = X87_CONTROL;
	*(uint32_t *)(void *)(fresh.vector + 24) = MXCSR;
	vector_check(where, s, &fresh);
}

static void begin(void)
{
	const struct limpet_info *info = limpet_info();
	const word size = 1ul << info->stack_shift;

	check_begin("a thread begins", &state_start, 1, info->stacks + (info->thread + 1) * size,
		    true);
	check_begin("the first invocation", &state_init, 0, info->stacks + size, false);
	verdict("a thread and an invocation begin with nothing of others");
}

static void fill(void)
{
	for (unsigned int n = 0; n < STATE_GENERAL; n++)
		state_in.general[n] = pattern(n);
	state_in.flags = FLAGS | FLAGS_KEPT;
	state_in.fs = pattern(0x40) & LIMPET_USER_END;
	state_in.gs = pattern(0x41) & LIMPET_USER_END;
	memset(state_in.selector, 0, sizeof(state_in.selector));
	vector_fill(state_in.vector);
	keys_load((uint32_t)pattern(party));
	looks++;
}

/* Spins, while interrupts occur and other threads run. */
static void look_spin(word turns)
{
	static const char where[] = "after being preempted";

	fill();
	state_count = turns;
	state_spin();
	for (unsigned int n = 0; n < STATE_GENERAL; n++)
		expect(where, n, state_out.general[n], state_in.general[n]);
	expect(where, 128, state_out.flags & FLAGS_KEPT, FLAGS_KEPT);
	vector_check(where, &state_out, &state_in);
	selectors_check(where, &state_out);
}

/* Also sets the selectors of the secret party. An interrupt clears these, a kernel call does not. */
static void selectors_set(void)
{
	if (party != SECRET)
		return;
	for (unsigned int i = 0; i < 4; i++)
		state_in.selector[i] = looks & 1 ? 0x2b : 0x33;
}

static void check_after(const char *where, const struct after *a)
{
	const word cleared[] = { a->rdx, a->rsi, a->rdi, a->r8, a->r9, a->r10 };

	for (unsigned int n = 0; n < array_size(cleared); n++)
		expect(where, 2000 + n, cleared[n], 0);
	expect(where, 2011, a->r11, FLAGS);
	expect(where, 2128, a->flags, FLAGS);
	if (a->rcx >> 47)
		complain(where, 2001, a->rcx, 0);
}

#define IMPORT(name)                                                                               \
	({                                                                                         \
		long import;                                                                       \
		asm("movq $__limpet_import_" #name ", %0" : "=r"(import));                         \
		import;                                                                            \
	})

/* Waits, while other threads run until the scheduler gives this one the CPU again. */
static void look_wait(word us)
{
	static const char where[] = "after waiting";
	const bool keeps = party != SECRET;
	const word due = limpet_time() + limpet_us_to_ticks(us);
	const word words[6] = { due, pattern(1), pattern(2), pattern(3), pattern(4), pattern(5) };
	struct after after;

	fill();
	selectors_set();
	state_load();
	lab_syscall(us ? IMPORT(sched_sleep_until) : IMPORT(sched_yield), words, &after);
	state_store();
	check_after(where, &after);
	if (keeps) {
		vector_check(where, &state_out, &state_in);
		selectors_check(where, &state_out);
	}
}

/* Calls another component on the same thread. */
static void look_invoke(void)
{
	static const char where[] = "after an invocation";
	const word words[6] = { pattern(0), pattern(1), pattern(2),
				pattern(3), pattern(4), pattern(5) };
	struct after after;

	fill();
	state_load();
	lab_syscall(IMPORT(pong_call4), words, &after);
	state_store();
	check_after(where, &after);
	expect(where, 3000, after.rax, words[0] & 0x7fffffff);
	expect(where, 3001, after.rbx, words[1]);
	expect(where, 3002, after.rbp, words[2]);
	expect(where, 3003, after.r12, words[3]);
	vector_check(where, &state_out, &state_in);
}

static void look_refused(void)
{
	static const char where[] = "after a refused invocation";
	const word words[6] = { pattern(0), pattern(1), pattern(2),
				pattern(3), pattern(4), pattern(5) };
	struct after after;

	lab_syscall(LIMPET_INVOKE(63), words, &after);
	check_after(where, &after);
	expect(where, 3000, after.rax, (word)LIMPET_ESLOT);
	for (unsigned int n = 0; n < 6; n++)
		expect(where, 3001 + n, (&after.rbx)[n], words[n]);
}

/*
 * Makes a random kernel call of a component that has almost no rights. It only polls its own endpoint.
 */
static void random_call(word *state)
{
	static const char where[] = "after a kernel call";
	word op = 1 + lab_random(state) % 34, words[6];
	struct after after;

	for (unsigned int n = 0; n < 6; n++)
		words[n] = lab_random(state) % 4 ? lab_random(state) % 70 : lab_random(state);
	if (op == LIMPET_CALL_ENDPOINT_RECEIVE)
		words[1] = 0, words[2] = LIMPET_NOWAIT;
	if (op >= LIMPET_CALL_CAP_COPY && op <= LIMPET_CALL_CAP_REVOKE)
		words[0] = 99; /* keeps the own table unchanged */
	lab_syscall(LIMPET_CALL(op), words, &after);
	check_after(where, &after);
	expect(where, 4000 + (unsigned int)op, after.r13, words[3]);
	expect(where, 4100 + (unsigned int)op, after.r14, words[4]);
	expect(where, 4200 + (unsigned int)op, after.r15, words[5]);
	for (unsigned int n = 0; n < 3; n++) {
		word out = (&after.rbx)[n];

		if (out != words[n] && (out >> 40 == 0x5ec2e7 || out >= KERNEL_HALF))
			complain(where, (unsigned int)op, out, words[n]);
		if ((long)after.rax < 0)
			expect(where, 4300 + (unsigned int)op, out, words[n]);
	}
}

void component_main(const struct limpet_info *info)
{
	word rounds = (word)limpet_arg_number(info, "rounds", 2000);
	word sleep = (word)limpet_arg_number(info, "sleep-us", 0);
	word calls = (word)limpet_arg_number(info, "calls", 0);
	word state = (word)limpet_arg_number(info, "seed", 1);
	word spin = limpet_us_to_ticks((word)limpet_arg_number(info, "spin-us", 300)) / 8;

	party = (word)limpet_arg_number(info, "party", 1);
	mask_find();
	keys_find();
	begin();
	for (word i = 0; !rounds || i < rounds; i++) {
		look_spin(spin);
		look_invoke();
		look_refused();
		look_wait(sleep);
		for (word n = 0; n < calls / (rounds ? rounds : 1); n++)
			random_call(&state);
		if (!rounds && complaints)
			break;
	}
	limpet_print("%lu looks\n", looks);
	verdict("all registers are its own");
	lab_done();
}
