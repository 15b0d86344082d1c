// SPDX-License-Identifier: BSD-2-Clause
/* Tries things that a component must not do, one case after another. snips.S has most of the cases. */
#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include "../../lib/attempt.h"
#include "snip.h"

#define BIT(n) (1ul << (n))
#define GP BIT(13)
#define DONE BIT(OUT_DONE)
#define INT3 3
#define UD 6
#define PF 14
#define RANDOM_MAX 24 /* bytes */

_Static_assert(LIMPET_CALL_COUNT == 59,
	       "BEYOND_CALLS of snip_asm.h is the first number without a call");

static const word odd_addresses[] = {
	0,
	8,
	0xfff,
	LIMPET_USER_END - 8,
	LIMPET_USER_END,
	0x7fffffffffff,
	0x800000000000,
	0x8000000000000000,
	0xffff7fffffffffff,
	0xffff800000000000,
	0xffff888000001000, /* the direct map, without KASLR */
	0xfffffe0000001000, /* the CPU entry area: IDT, stacks */
	0xffffffff81000000, /* kernel text, without KASLR */
	0xffffffffff600000, /* vsyscall */
	0xffffffffffffffff,
};

/* Returns whether an address is canonical with four levels of page tables. With five levels, more addresses are. */
static bool canonical(word address)
{
	return (word)((long)(address << 16) >> 16) == address;
}

static word spin_ticks(void)
{
	return limpet_info()->ticks_per_ms * 3;
}

static void pieces(void)
{
	static const word none[6];

	for (const struct snip *s = snips; s != snips_end; s++) {
		attempt_code(s->start, s->end);
		attempt_check(s->name, none, s->allowed, NULL);
	}
	group_end("forbidden instructions, exceptions, flags, jumps, 32-bit code");
}

static void interrupts(void)
{
	static const word none[6];

	for (unsigned int n = 0; n < 256; n++) {
		const unsigned char code[] = { 0xcd, (unsigned char)n };
		unsigned int vector = n == 3 || n == 4 ? n : 13;
		struct outcome o;

		attempt_code(code, code + sizeof(code));
		if (attempt_check("int n", none, BIT(vector), &o) && vector == 13 &&
		    o.fault.error != n * 8 + 2 && o.fault.error != n * 16 + 2 /* QEMU 7.2 */)
			complain("int n", &o, "wrong error code");
	}
	group_end("int n for all n");
}

static void segment_try(unsigned int reg, word selector, word spin)
{
	static const char *const names[] = { "es", "cs", "ss", "ds", "fs", "gs" };
	const word words[6] = { 0, 0, 0, 0, selector, spin };
	const word allowed = reg == 1 ? BIT(UD) : DONE | GP | BIT(11) | BIT(12);
	struct outcome o;

	if (attempt_check(names[reg], words, allowed, &o) && o.kind != OUT_DONE && o.kind != UD &&
	    o.fault.error != (selector & 0xfffc))
		complain(names[reg], &o, "wrong error code");
}

/* Loads values into all segment registers. Valid ones must also survive interrupts. */
static void segments(word part)
{
	static const word valid[] = { 0, 1, 2, 3, 0x23, 0x2b, 0x33, 0x7b, 0x63, 0x6b, 0x73 };

	attempt_code(segment_code, segment_code_end);
	for (unsigned int reg = 0; reg < 6; reg++) {
		victim.code[SEGMENT_AT] = (unsigned char)(0xc0 | reg << 3);
		for (word selector = 0; selector < 0x100; selector++)
			segment_try(reg, selector, 0);
		for (word selector = 0x100; selector < 0x10000; selector += part)
			segment_try(reg, selector, 0);
		for (unsigned int i = 0; i < array_size(valid); i++)
			segment_try(reg, valid[i], spin_ticks());
	}
	group_end("selectors in segment registers");
}

static void bases_try(const char *name, const unsigned char *start, const unsigned char *end)
{
	attempt_code(start, end);
	for (unsigned int i = 0; i < array_size(odd_addresses); i++) {
		const word words[6] = { 0, 0, 0, 0, odd_addresses[i], spin_ticks() };

		attempt_check(name, words, canonical(odd_addresses[i]) ? DONE : DONE | GP, NULL);
	}
}

static void stacks(void)
{
	for (unsigned int i = 0; i < array_size(odd_addresses); i++) {
		const word words[6] = { 0, 0, 0, 0, odd_addresses[i], spin_ticks() };

		attempt_code(stack_code, stack_code_end);
		attempt_check("stack pointer, int3", words, BIT(INT3), NULL);
		attempt_code(stack_invalid_code, stack_invalid_code_end);
		attempt_check("stack pointer, ud2", words, BIT(UD), NULL);
	}
	group_end("stack pointers that are none");
}

/* Makes a kernel call whose return address is the first one that cannot be mapped. */
static void last_bytes(void)
{
	static const unsigned char call[] = { 0x0f, 0x05 };
	static const unsigned char jump[] = {
		0x48, 0xc7, 0xc0, 0xff, 0xef, 0xff, 0xff, /* mov $NOP_CALL, %rax */
		0x49, 0xbe, 0xfe, 0xef, 0xff, 0xff, 0xff, 0x7f, 0x00, 0x00, /* movabs, %r14 */
		0x41, 0xff, 0xe6,					    /* jmp *%r14 */
	};
	static const word none[6];
	const word page = LIMPET_USER_END - LIMPET_PAGE;
	word frames = domain_map(&victim, page, 1, LIMPET_READ | LIMPET_EXEC);
	unsigned char *view = lab_view(frames, 1);

	memcpy(view + LIMPET_PAGE - sizeof(call), call, sizeof(call));
	for (unsigned int i = 0; i < 2000; i++) {
		struct outcome o;

		attempt_code(jump, jump + sizeof(jump));
		if (i & 1) /* invoke the server instead */
			victim.code[3] = 0xf7, victim.code[4] = 0xff;
		if (attempt_check("last bytes", none, BIT(PF) | BIT(OUT_MODE), &o) &&
		    o.kind == PF && o.fault.address != LIMPET_USER_END)
			complain("last bytes", &o, "wrong address");
	}
	if (limpet_call_pt_map(victim.pt, frames, 0, LIMPET_USER_END, 1, LIMPET_READ) !=
	    LIMPET_ERANGE)
		lab_fail("last bytes", "a page behind the last one can be mapped");
	group_end("system calls in the last bytes of user addresses");
}

static word enabled_state(void)
{
	uint32_t low, high;

	asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

/*
 * Loads random values into each kind of vector state, one at a time. One kind is protection keys: if the host thread
 * ever ran with them, it could not access its own memory.
 */
static void vector_state(void)
{
	const word enabled = enabled_state();

	attempt_code(xrstor_code, xrstor_code_end);
	for (unsigned int i = 0; i < 32; i++)
		for (unsigned int fill = 0; fill < 3; fill++) {
			const word words[6] = { 0, 0, 0, 0, BIT(i), spin_ticks() };

			memset(victim.data, fill == 1 ? 0xff : 0x55 * (fill == 2), 4 * LIMPET_PAGE);
			memset(&victim.data[64], 0, 64);
			victim.data[64] = BIT(i) & enabled;
			attempt_check("xrstor", words, DONE | GP, NULL);
		}
	group_end("xrstor of rubbish, protection keys among it");
}

/*
 * Removes instructions that QEMU 7.2 does not survive. IRET (cf) at user level, with 32-bit operands and VM in the
 * flags, enters virtual-8086 mode inside of long mode. No processor does this, and no kernel expects it. VEX and EVEX
 * (c4, c5, 62) end QEMU itself, by an assertion on an invalid combination.
 */
static void dangerous_remove(unsigned char *code, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (code[i] == 0xcf || code[i] == 0xc4 || code[i] == 0xc5 || code[i] == 0x62)
			code[i] = 0x90;
}

static void random_bytes(word rounds, word seed)
{
	word state = seed;

	limpet_print("%lu random pieces, seed %lu\n", rounds, seed);
	memset(victim.code, 0xcc, DOMAIN_CODE_PAGES * LIMPET_PAGE);
	for (word i = 0; i < rounds; i++) {
		unsigned char code[RANDOM_MAX + 8];
		size_t size = 1 + lab_random(&state) % RANDOM_MAX;
		word words[6];

		for (size_t at = 0; at < size; at += 8) {
			word bytes = lab_random(&state);

			memcpy(code + at, &bytes, sizeof(bytes));
		}
		if (lab_random(&state) % 4 == 0)
			code[0] = 0x0f;
		for (unsigned int w = 0; w < 6; w++) {
			word random = lab_random(&state);

			words[w] = random % 3
					   ? random
					   : odd_addresses[random / 3 % array_size(odd_addresses)];
		}
		dangerous_remove(code, size);
		attempt_code(code, code + size);
		attempt_check("random bytes", words, ~0ul, NULL);
	}
	group_end("random bytes");
}

void component_main(const struct limpet_info *info)
{
	attempt_setup();
	pieces();
	interrupts();
	segments((word)limpet_arg_number(info, "part", 97));
	bases_try("fs base", fs_code, fs_code_end);
	bases_try("gs base", gs_code, gs_code_end);
	group_end("thread pointers that are none");
	stacks();
	last_bytes();
	vector_state();
	random_bytes((word)limpet_arg_number(info, "rounds", 20000),
		     (word)limpet_arg_number(info, "seed", 1));
	lab_done();
}
