// SPDX-License-Identifier: BSD-2-Clause
/* Reads, writes and executes at addresses that the victim must not access. Checks the words that the handler gets. */
#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include "../../lib/attempt.h"

#define BIT(n) (1ul << (n))
#define PF 14
#define GP 13
#define SS 12
#define ERROR_PRESENT 1ul
#define ERROR_WRITE 2ul
#define ERROR_USER 4ul
#define ERROR_FETCH 16ul
#define KERNEL_HALF 0x800000000000ul /* the kernel's addresses and non-canonical ones start here */

enum access_kind { READ, WRITE, EXECUTE, MODIFY };

struct access {
	const char *name;
	const unsigned char *start, *at, *end;
	word kind, stack;
};

extern const struct access accesses[], accesses_end[];

/* An address, and the forbidden kinds of access, as bits. */
struct place {
	const char *name;
	word first, step, count;
	unsigned int forbidden;
};

#define ALL 15u
#define PAGE LIMPET_PAGE

/* Addresses of Linux are those without KASLR, with four and with five levels of page tables. */
static const struct place places[] = {
	{ "null page", 0, 8, 8, ALL },
	{ "low addresses", 0x1000, PAGE, 16, ALL },
	{ "Linux's program", 0x400000, PAGE, 32, ALL },
	{ "own text", DOMAIN_CODE + PAGE, 64, 60, BIT(WRITE) | BIT(MODIFY) },
	{ "above own text", DOMAIN_CODE + 2 * PAGE, PAGE, 8, ALL },
	{ "own data", DOMAIN_DATA, 1000, 16, BIT(EXECUTE) },
	{ "above own data", DOMAIN_DATA + 4 * PAGE, PAGE, 8, ALL },
	{ "other threads' guard pages", DOMAIN_STACKS, 2 * PAGE, 64, ALL },
	{ "the image, where the booter has it", 0x2000000000, PAGE, 16, ALL },
	{ "other components", 0x1000000000, 0x1000, 64, ALL },
	{ "more components", 0x1000000000, 0x40000000, 32, ALL },
	{ "their windows", 0x600000000000, 0x40000000, 16, ALL },
	{ "where the booter fills memory", 0x7e0000000000, PAGE, 16, ALL },
	{ "Linux's stacks and libraries", 0x7ffff0000000, 0x10000, 0xfff, ALL },
	{ "the last pages", LIMPET_USER_END - 16 * PAGE, PAGE, 16, ALL },
	{ "behind the last page", LIMPET_USER_END, 8, 500, ALL },
	{ "no addresses", KERNEL_HALF, 0x123456789000, 64, ALL },
	{ "the first kernel addresses", 0xffff800000000000, PAGE, 16, ALL },
	{ "LDT", 0xffff880000000000, PAGE, 16, ALL },
	{ "direct map", 0xffff888000000000, 0x100000, 1024, ALL },
	{ "LDT, five levels", 0xff10000000000000, PAGE, 16, ALL },
	{ "direct map, five levels", 0xff11000000000000, 0x100000, 1024, ALL },
	{ "vmalloc", 0xffffc90000000000, PAGE, 512, ALL },
	{ "vmalloc, five levels", 0xffa0000000000000, PAGE, 512, ALL },
	{ "page structures", 0xffffea0000000000, 0x1000, 64, ALL },
	{ "CPU entry area: IDT, GDT, stacks", 0xfffffe0000000000, PAGE, 128, ALL },
	{ "kernel text and data", 0xffffffff81000000, 0x10000, 512, ALL },
	{ "modules, ours among them", 0xffffffffc0000000, PAGE, 512, ALL },
	{ "fixmap", 0xffffffffff200000, PAGE, 512, ALL },
	{ "vsyscall", 0xffffffffff600000, 8, 512, ALL },
	{ "the last address", 0xfffffffffffffff0, 8, 2, ALL },
};

static uint64_t attempts;

static word error_wanted(const struct access *a, word address, bool mapped)
{
	static const word of_kind[] = { 0, ERROR_WRITE, ERROR_FETCH, ERROR_WRITE };
	word error = ERROR_USER | of_kind[a->kind];

	return mapped || address >= LIMPET_USER_END ? error | ERROR_PRESENT : error;
}

/* Returns the address that the fault must have, because some of the code aligns it. */
static bool address_right(const struct access *a, word address, word got)
{
	if (a->kind == EXECUTE)
		return got == address;
	return got == address || got == (address & -16ul) || got == (address & -64ul);
}

static void check_page_fault(const struct access *a, word address, bool mapped,
			     const struct outcome *o)
{
	/* A locked access is a write. QEMU 7.2 treats it as a read that becomes a write. */
	const word differs = a->kind == MODIFY ? ~ERROR_WRITE : ~0ul;
	word ip = a->kind == EXECUTE ? address : DOMAIN_CODE + (word)(a->at - a->start);

	if (!address_right(a, address, o->fault.address))
		complain(a->name, o, "wrong address");
	if ((o->fault.error ^ error_wanted(a, address, mapped)) & differs)
		complain(a->name, o, "wrong error code");
	if (o->fault.ip != ip)
		complain(a->name, o, "wrong instruction");
}

/*
 * A non-canonical address does not cause a page fault. With fewer levels of page tables, more
 * addresses are not canonical.
 */
static word outcomes(word address)
{
	if (address < KERNEL_HALF)
		return BIT(PF);
	return address >= 0xffff800000000000 ? BIT(PF) : BIT(PF) | BIT(GP) | BIT(SS);
}

static void try(const struct access *a, word address, bool mapped)
{
	const word words[6] = { 0, 0, 0, 0, address, 0 };
	struct outcome o;

	attempts++;
	attempt_code(a->start, a->end);
	if (attempt_check(a->name, words, outcomes(address), &o) && o.kind == PF)
		check_page_fault(a, address, mapped, &o);
}

static bool own(const struct place *p)
{
	return p->forbidden != ALL;
}

/* Tries each address with one kind of access in turn, so that every access meets every place. */
static void place_try(const struct place *p)
{
	word turn = 0;

	for (word i = 0; i < p->count; i++)
		for (const struct access *a = accesses; a != accesses_end; a++)
			if (p->forbidden >> a->kind & 1 && (p->count <= 64 || turn++ % 11 == 0))
				try(a, p->first + i * p->step, own(p));
	group_end(p->name);
}

static bool victims(word address)
{
	const word from = address & -64ul, to = address + 64;

	return (to > DOMAIN_CODE && from < DOMAIN_CODE + DOMAIN_CODE_PAGES * PAGE) ||
	       (to > DOMAIN_DATA && from < DOMAIN_DATA + DOMAIN_DATA_PAGES * PAGE) ||
	       (to > DOMAIN_STACKS && from < domain_stack(LIMPET_THREADS_MAX));
}

static void random_addresses(word rounds, word seed)
{
	const word kinds = (word)(accesses_end - accesses);
	word state = seed;

	limpet_print("%lu random addresses of each half, seed %lu\n", rounds, seed);
	for (word i = 0; i < rounds; i++) {
		const struct access *a = &accesses[lab_random(&state) % kinds];
		word random = lab_random(&state) >> lab_random(&state) % 48;
		word low = random % KERNEL_HALF & -8ul;

		if (!victims(low))
			try(a, low, false);
		try(a, (random | 0xffff800000000000) & -8ul, false);
	}
	group_end("random addresses");
}

/* Checks a fault without a handler: the caller gets ECRASH, and the kernel keeps the last fault. */
static void without_handler(void)
{
	static const unsigned char code[] = { 0x49, 0xc7, 0x06, 1, 0, 0, 0 }; /* movq $1, (%r14) */
	const word words[6] = { 0, 0, 0, 0, 0x1234567890, 0 };
	struct domain bare;
	struct after after;
	unsigned int right = 0;

	domain_make(&bare, 110);
	domain_write(&bare, 0, code, sizeof(code));
	for (unsigned int i = 0; i < 1000; i++)
		right += lab_syscall(LIMPET_INVOKE(bare.gate), words, &after) == LIMPET_ECRASH;
	if (right == 1000)
		lab_pass("without a handler the caller gets ECRASH");
	else
		lab_fail("without a handler", "%u of 1000 calls got ECRASH", right);
}

void component_main(const struct limpet_info *info)
{
	attempt_setup();
	memset(victim.code + PAGE, 0xcc, PAGE);
	for (unsigned int i = 0; i < array_size(places); i++)
		place_try(&places[i]);
	random_addresses((word)limpet_arg_number(info, "rounds", 10000),
			 (word)limpet_arg_number(info, "seed", 1));
	without_handler();
	limpet_print("faults %lu\n", attempt_faults);
	lab_done();
}
