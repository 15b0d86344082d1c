// SPDX-License-Identifier: GPL-2.0
/* Tests the layer's page tables and its reads of the guest's memory, in memory of this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <host/bare/bare.h>

#include <cmocka.h>

#define PAGE 4096ul
#define MIB (1ul << 20)
#define POOL_BITS 22
#define POOL (1ul << POOL_BITS)
#define ADDRESS 0x000ffffffffff000ul
#define HIDDEN (64 * MIB)
#define HOLE 0xfee00000ul

static u8 *pool;
static struct bare_io_apic io_apic = { .physical = ~0ul };
static word hidden_page = ~0ul; /* a component's */

struct bare_io_apic *bare_io_apic_at(struct bare_layer *layer, word physical)
{
	(void)layer;
	return physical / PAGE == io_apic.physical / PAGE ? &io_apic : NULL;
}

bool bare_resources_hide(const struct bare_layer *layer, u32 kind, word first, word count)
{
	(void)layer;
	assert_true(kind == LIMPET_RESOURCE_MEMORY && count == 1);
	return first / PAGE == hidden_page / PAGE;
}

static unsigned int yields;

void bare_yield(struct bare_cpu *b)
{
	(void)b;
	yields++;
}

static struct bare_pages pages;

/* The pool starts at physical address 0. */
static int pool_begin(void **state)
{
	(void)state;
	pool = aligned_alloc(2 * MIB, POOL);
	pages = (struct bare_pages){ pool, pool + POOL, (word)pool };
	return !pool;
}

static int pool_end(void **state)
{
	(void)state;
	free(pool);
	return 0;
}

/* Returns the processor's translation of an address, or ~0 if it is not present. */
static word walk(word root, unsigned int levels, word address, u64 *found)
{
	word table = root;

	for (unsigned int level = levels; level; level--) {
		unsigned int shift = 12 + 9 * (level - 1);
		u64 entry = *(u64 *)(pool + table + (address >> shift & 511) * 8);

		if (!(entry & 1))
			return ~0ul;
		if (level == 1 || entry & 0x80) {
			*found = entry;
			return (entry & ADDRESS & ~((1ul << shift) - 1)) |
			       (address & ((1ul << shift) - 1));
		}
		table = entry & ADDRESS;
	}
	return ~0ul;
}

/* Describes 64 GiB, of which some MiB are hidden. */
static struct bare_memory memory_of(unsigned int levels, bool large, word mib)
{
	return (struct bare_memory){
		.levels = levels,
		.bits = 36,
		.large = large,
		.hidden = HIDDEN,
		.hidden_end = HIDDEN + mib * MIB,
		.hole = HOLE,
	};
}

static void check_nested(unsigned int levels, bool large)
{
	struct bare_memory memory = memory_of(levels, large, 16);
	word root = bare_nested_build(&pages, &memory), zeros;
	u64 entry = 0;

	assert_int_not_equal(root, 0);
	for (word at = 0; at < 1ul << 36; at += 127 * PAGE) {
		if ((at >= memory.hidden && at < memory.hidden_end) || bare_in_hole(&memory, at))
			continue;
		assert_int_equal(walk(root, levels, at, &entry), at);
		assert_int_equal(entry & 7, 7);
	}
	zeros = walk(root, levels, HIDDEN, &entry);
	for (word at = HIDDEN; at < memory.hidden_end; at += PAGE) {
		assert_int_equal(walk(root, levels, at, &entry), zeros);
		assert_int_equal(entry & 7, 5); /* present, not writable */
	}
	for (word i = 0; i < PAGE; i++)
		assert_int_equal(pool[zeros + i], 0);
	bare_hidden_show(&memory, HIDDEN + 3 * MIB);
	assert_int_equal(walk(root, levels, HIDDEN + 3 * MIB, &entry), HIDDEN + 3 * MIB);
	assert_int_equal(entry & (BARE_MAP_NX | 7), BARE_MAP_NX | 7);
	assert_int_equal(walk(root, levels, HIDDEN + 3 * MIB - PAGE, &entry), zeros);
	assert_int_equal(walk(root, levels, HIDDEN + 3 * MIB + PAGE, &entry), zeros);
	memory.open_end = HIDDEN + 2 * MIB; /* readable and executable */
	bare_hidden_hide(&memory, HIDDEN, memory.hidden_end);
	assert_int_equal(walk(root, levels, HIDDEN + 3 * MIB, &entry), zeros);
	assert_int_equal(walk(root, levels, memory.open_end, &entry), zeros);
	assert_int_equal(walk(root, levels, memory.open_end - PAGE, &entry),
			 memory.open_end - PAGE);
	assert_int_equal(entry & (BARE_MAP_NX | 7), 5);
	assert_int_equal(walk(root, levels, HOLE, &entry), ~0ul);
	assert_int_equal(walk(root, levels, HOLE - PAGE, &entry), HOLE - PAGE);
	assert_int_equal(walk(root, levels, HOLE + PAGE, &entry), ~0ul); /* messages */
	assert_int_equal(walk(root, levels, HOLE + MIB - PAGE, &entry), ~0ul);
	assert_int_equal(walk(root, levels, HOLE + MIB, &entry), HOLE + MIB);
	assert_int_equal(walk(root, levels, 1ul << 36, &entry), ~0ul);
}

/* A page of any size can be split, and its neighbours stay mapped. */
static void test_nested_set(void **state)
{
	static const word places[] = { 0x100000, 0xfec00000, 0xfed00000, 3ul << 34 };
	struct bare_memory memory = memory_of(4, true, 2);
	word root = bare_nested_build(&pages, &memory), ones;
	u64 entry = 0;

	(void)state;
	for (unsigned int i = 0; i < countof(places); i++) {
		word at = places[i];

		assert_true(bare_nested_set(&pages, &memory, at, BARE_NESTED_ONES));
		ones = walk(root, 4, at, &entry);
		assert_int_equal(entry & (BARE_MAP_NX | 7), BARE_MAP_NX | 5);
		for (word k = 0; k < PAGE; k++)
			assert_int_equal(pool[ones + k], 0xff);
		assert_int_equal(walk(root, 4, at - PAGE, &entry), at - PAGE);
		assert_int_equal(entry & 7, 7);
		assert_int_equal(walk(root, 4, at + PAGE, &entry), at + PAGE);
		assert_int_equal(walk(root, 4, at ^ 1 << 30, &entry), at ^ 1 << 30);
		assert_true(bare_nested_set(&pages, &memory, at, BARE_NESTED_READ));
		assert_int_equal(walk(root, 4, at, &entry), at);
		assert_int_equal(entry & (BARE_MAP_NX | 7), BARE_MAP_NX | 5);
		assert_true(bare_nested_set(&pages, &memory, at, BARE_NESTED_NONE));
		assert_int_equal(walk(root, 4, at, &entry), ~0ul);
		assert_true(bare_nested_set(&pages, &memory, at, BARE_NESTED_ALL));
		assert_int_equal(walk(root, 4, at, &entry), at);
		assert_int_equal(entry & (BARE_MAP_NX | 7), 7);
	}
	pages.next = pages.end;
	assert_false(bare_nested_set(&pages, &memory, 5ul << 30, BARE_NESTED_ONES));
	assert_int_equal(walk(root, 4, 5ul << 30, &entry), 5ul << 30);
}

static void test_nested(void **state)
{
	(void)state;
	check_nested(4, true);
	check_nested(5, true);
	check_nested(4, false);
}

static void test_nested_without_pages(void **state)
{
	struct bare_memory memory = memory_of(4, true, 2);

	(void)state;
	for (word count = 0; count < 7; count++) {
		pages = (struct bare_pages){ pool, pool + count * PAGE, (word)pool };
		assert_int_equal(bare_nested_build(&pages, &memory), 0);
	}
}

static void test_map(void **state)
{
	u64 *root = bare_page(&pages), entry = 0;

	(void)state;
	assert_true(bare_map(&pages, root, 5, BARE_TEXT, 3 * PAGE, 0));
	assert_true(bare_map(&pages, root, 5, BARE_APIC, HOLE, BARE_MAP_WRITE | BARE_MAP_NX));
	assert_int_equal(walk((word)root - (word)pool, 5, BARE_TEXT, &entry), 3 * PAGE);
	assert_int_equal(entry & (BARE_MAP_NX | 7), 1);
	assert_int_equal(walk((word)root - (word)pool, 5, BARE_APIC, &entry), HOLE);
	assert_int_equal(entry & (BARE_MAP_NX | 7), BARE_MAP_NX | 3);
}

static void test_move_decode(void **state)
{
	static const struct {
		u8 code[15];
		struct bare_move move;
	} known[] = {
		/* movl $0, 0xffffffffff5fb0b0 */
		{ { 0xc7, 0x04, 0x25, 0xb0, 0xb0, 0x5f, 0xff, 0, 0, 0, 0 },
		  { 11, 4, true, true, 0, 0 } },
		/* mov %esi, -0xa05000(%rdi) */
		{ { 0x89, 0xb7, 0x00, 0xb0, 0x5f, 0xff }, { 6, 4, true, false, 6, 0 } },
		/* mov (%rdi), %eax */
		{ { 0x8b, 0x07 }, { 2, 4, false, false, 0, 0 } },
		/* mov 0xffffffffff5fb020, %eax */
		{ { 0x8b, 0x04, 0x25, 0x20, 0xb0, 0x5f, 0xff }, { 7, 4, false, false, 0, 0 } },
		/* mov %r9d, 8(%r12) */
		{ { 0x45, 0x89, 0x4c, 0x24, 0x08 }, { 5, 4, true, false, 9, 0 } },
		/* mov %edx, 0x100(%rip) */
		{ { 0x89, 0x15, 0, 1, 0, 0 }, { 6, 4, true, false, 2, 0 } },
		/* movl $0x12345678, (%rax) */
		{ { 0xc7, 0x00, 0x78, 0x56, 0x34, 0x12 }, { 6, 4, true, true, 0, 0x12345678 } },
		/* xchg %eax, 0xffffffffff5fb300 with a DS prefix */
		{ { 0x3e, 0x87, 0x04, 0x25, 0, 0xb3, 0x5f, 0xff }, { 8, 4, true, false, 0, 0 } },
		/* mov %rax, (%rdi) */
		{ { 0x48, 0x89, 0x07 }, { 3, 8, true, false, 0, 0 } },
		/* movq $0x12345678, (%rax) */
		{ { 0x48, 0xc7, 0x00, 0x78, 0x56, 0x34, 0x12 },
		  { 7, 8, true, true, 0, 0x12345678 } },
		/* mov %ax, (%rdi) */
		{ { 0x66, 0x89, 0x07 }, { 3, 2, true, false, 0, 0 } },
		/* movw $0x1234, (%rax) */
		{ { 0x66, 0xc7, 0x00, 0x34, 0x12 }, { 5, 2, true, true, 0, 0x1234 } },
		/* mov %al, (%rdi) */
		{ { 0x88, 0x07 }, { 2, 1, true, false, 0, 0 } },
		/* mov 1(%rdi), %cl */
		{ { 0x8a, 0x4f, 0x01 }, { 3, 1, false, false, 1, 0 } },
		/* movb $0x12, (%rax) */
		{ { 0xc6, 0x00, 0x12 }, { 3, 1, true, true, 0, 0x12 } },
	};
	static const u8 unknown[][15] = {
		{ 0x89, 0xc7 },	      /* registers */
		{ 0x0f, 0xb6, 0x07 }, /* movzbl */
		{ 0xf3, 0xa4 },	      /* rep movsb */
		{ 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x3e, 0x89, 0x07 },
	};
	struct bare_move move;

	(void)state;
	for (word i = 0; i < countof(known); i++) {
		assert_true(bare_move_decode(known[i].code, 15, &move));
		assert_int_equal(move.length, known[i].move.length);
		assert_int_equal(move.size, known[i].move.size);
		assert_int_equal(move.store, known[i].move.store);
		assert_int_equal(move.immediate, known[i].move.immediate);
		assert_int_equal(move.reg, known[i].move.reg);
		assert_int_equal(move.value, known[i].move.value);
	}
	for (word i = 0; i < countof(unknown); i++)
		assert_false(bare_move_decode(unknown[i], 15, &move));
}

/*
 * For each instruction of the guest, no byte after its 15 bytes is read. The sanitizer checks it.
 */
static void test_move_decode_random(void **state)
{
	struct bare_move move;
	u8 *code = malloc(15);

	(void)state;
	srandom(1);
	for (unsigned int n = 0; n < 1000000; n++) {
		for (unsigned int i = 0; i < 15; i++)
			code[i] = (u8)(random() % 3 ? random() : 0x89);
		if (bare_move_decode(code, 15, &move))
			assert_in_range(move.length, 2, 15);
	}
	free(code);
}

/* The guest's page tables and memory are the pool. A read of an address outside of memory is refused. */
static void test_guest_read(void **state)
{
	struct vmcb *vmcb = aligned_alloc(PAGE, sizeof(*vmcb));
	static struct bare_layer layer;
	struct bare_cpu b = { .vm.vmcb = vmcb, .layer = &layer };
	u64 *root = bare_page(&pages);
	u8 *first = bare_page(&pages), *second = bare_page(&pages), text[8];
	struct bare_move move;

	(void)state;
	layer.virtual_offset = (word)pool;
	layer.physical = (struct bare_memory){ .levels = 4,
					       .bits = POOL_BITS,
					       .hidden = POOL - 2 * MIB,
					       .hidden_end = POOL - 2 * MIB + PAGE,
					       .hole = POOL - 2 * PAGE };
	memset(vmcb, 0, sizeof(*vmcb));
	vmcb->cr0 = 1ul << 31;
	vmcb->cr3 = (word)((u8 *)root - pool) | 5; /* a process-context id */
	assert_true(bare_map(&pages, root, 4, 0x10000, (word)(second - pool), 0));
	assert_true(bare_map(&pages, root, 4, 0x11000, (word)(first - pool), 0));
	assert_true(bare_map(&pages, root, 4, 0x20000, POOL, 0));
	assert_true(bare_map(&pages, root, 4, 0x21000, POOL - 2 * MIB, 0));
	assert_true(bare_map(&pages, root, 4, 0x22000, POOL - 2 * PAGE, 0));
	memcpy(second + PAGE - 4, "abcd", 4);
	memcpy(first, "efgh", 4);
	assert_true(bare_guest_read(&b, 0x10ffc, text, 8));
	assert_memory_equal(text, "abcdefgh", 8);
	assert_false(bare_guest_read(&b, 0x11ffc, text, 8));
	assert_false(bare_guest_read(&b, 0x20000, text, 8));
	assert_false(bare_guest_read(&b, 0x21000, text, 8)); /* hidden */
	assert_false(bare_guest_read(&b, 0x900000000, text, 8));
	assert_false(bare_guest_read(&b, 0x22000, text, 8)); /* the APIC */
	assert_true(bare_guest_write(&b, 0x10ffc, "ABCDEFGH", 8));
	assert_memory_equal(second + PAGE - 4, "ABCD", 4);
	assert_memory_equal(first, "EFGH", 4);
	assert_false(bare_guest_write(&b, 0x21000, text, 8));
	layer.physical.open_end = POOL; /* readable and executable */
	assert_true(bare_guest_read(&b, 0x21000, text, 8));
	assert_false(bare_guest_write(&b, 0x21000, text, 8));
	layer.physical.open_end = 0;
	memcpy(first + PAGE - 2, "\x89\x0f", 2); /* mov %ecx, (%rdi), then an unmapped page */
	vmcb->ip = 0x11ffe;
	assert_true(bare_move_read(&b, &move));
	assert_true(move.length == 2 && move.reg == 1 && move.store);
	vmcb->ip = 0x12000;
	assert_false(bare_move_read(&b, &move));
	memcpy(second + PAGE - 1, "\x89", 1); /* in two pages */
	memcpy(first, "\x17", 1);
	vmcb->ip = 0x10fff;
	yields = 0;
	assert_true(bare_move_read(&b, &move));
	assert_true(move.length == 2 && move.reg == 2);
	assert_int_equal(yields, 2); /* before each of the two pages */
	memcpy(second + PAGE - 8, "\x89\x0f\0\0\0\0\0\0",
	       8); /* whole, although near the end of the page */
	vmcb->ip = 0x10ff8;
	assert_true(bare_move_read(&b, &move));
	assert_true(move.length == 2 && move.reg == 1 && yields == 3);
	memcpy(first, "E", 1);
	vmcb->cr0 = 0; /* no paging yet */
	assert_true(bare_guest_read(&b, (word)(first - pool), text, 4));
	assert_memory_equal(text, "EFGH", 4);
	vmcb->cr0 = 1ul << 31;
	assert_false(bare_guest_write(&b, 0x22000, text, 8));
	io_apic.physical = (word)(first - pool);
	assert_false(bare_guest_read(&b, 0x10ffc, text, 8));
	io_apic.physical = ~0ul;
	hidden_page = (word)(second - pool);
	assert_false(bare_guest_read(&b, 0x10ffc, text, 8));
	hidden_page = ~0ul;
	assert_true(bare_guest_read(&b, 0x10ffc, text, 8));
	free(vmcb);
}

/* Tests whether the layer finds code behind a gate of the guest. */
static void test_guest_handles(void **state)
{
	struct vmcb *vmcb = aligned_alloc(PAGE, sizeof(*vmcb));
	static struct bare_layer layer;
	struct bare_cpu b = { .vm.vmcb = vmcb, .layer = &layer };
	u64 *root = bare_page(&pages), *gates = bare_page(&pages);
	const word code = (word)((u8 *)bare_page(&pages) - pool), at = 0xffffffff81000000;

	(void)state;
	layer.virtual_offset = (word)pool;
	layer.physical = (struct bare_memory){ .levels = 4, .bits = POOL_BITS, .hole = POOL };
	memset(vmcb, 0, sizeof(*vmcb));
	vmcb->cr0 = 1ul << 31;
	vmcb->cr3 = (word)((u8 *)root - pool);
	vmcb->idtr = (struct vmcb_segment){ .base = 0x10000, .limit = 9 * 16 - 1 };
	assert_true(bare_guest_handles(&b, 8)); /* not in long mode: unknown */
	vmcb->efer = 1ul << 10;
	assert_false(bare_guest_handles(&b, 8)); /* no table */
	assert_true(bare_map(&pages, root, 4, 0x10000, (word)((u8 *)gates - pool), 0));
	gates[16] = (at & 0xffff) | (at >> 16 & 0xffff) << 48 | 0x8eul << 40;
	gates[17] = at >> 32;
	assert_false(bare_guest_handles(&b, 8)); /* nothing mapped */
	assert_true(bare_map(&pages, root, 4, at, code, BARE_MAP_NX));
	assert_false(bare_guest_handles(&b, 8)); /* not executable */
	assert_true(bare_map(&pages, root, 4, at, code, 0));
	assert_true(bare_guest_handles(&b, 8));
	hidden_page = code;
	assert_false(bare_guest_handles(&b, 8));
	hidden_page = ~0ul;
	vmcb->idtr.limit--;
	assert_false(bare_guest_handles(&b, 8));
	vmcb->idtr.limit++;
	gates[16] &= ~(1ul << 47);
	assert_false(bare_guest_handles(&b, 8));
	free(vmcb);
}

static bool exits(const u8 *bitmap, u32 msr, bool write)
{
	unsigned int part = msr >= 0xc0010000 ? 2 : msr >= 0xc0000000 ? 1 : 0;

	return bitmap[part * 2048 + msr % 0x2000 / 4] >> (msr % 4 * 2 + write) & 1;
}

/* Checks a sample of each kind, and the limits of the ranges. */
static void test_msrs(void **state)
{
	static const u32 own[] = { 0x48,       0x176,	   0x277,      0x400,	  0x4fe,
				   0xc0000081, 0xc0000102, 0xc0010200, 0xc0010062 };
	static const u32 guarded[] = { 0,	   0x10,       0x1b,	   0x3b,       0x200,
				       0x2ff,	   0x3ff,      0x403,	   0x4ff,      0x500,
				       0x7ff,	   0x900,      0x6df,	   0x6e1,      0x1fff,
				       0xc0000085, 0xc0000104, 0xc0010010, 0xc0010015, 0xc0010063,
				       0xc001001a, 0xc0010116, 0xc0011029, 0xc0011fff };
	static const u32 answered[] = { 0x6e0,	    0x800,	0x830,	   0x8ff,
					0xc0000080, 0xc0010114, 0xc0010117 };
	u8 bitmap[3 * 2048];

	(void)state;
	bare_msrs_intercept(bitmap);
	for (unsigned int i = 0; i < countof(own); i++) {
		assert_false(exits(bitmap, own[i], true));
		assert_false(exits(bitmap, own[i], false));
	}
	for (unsigned int i = 0; i < countof(guarded); i++) {
		assert_true(exits(bitmap, guarded[i], true));
		assert_false(exits(bitmap, guarded[i], false));
	}
	for (unsigned int i = 0; i < countof(answered); i++) {
		assert_true(exits(bitmap, answered[i], true));
		assert_true(exits(bitmap, answered[i], false));
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, pool_begin, pool_end)
	const struct CMUnitTest tests[] = {
		TEST(test_nested),
		TEST(test_nested_without_pages),
		TEST(test_nested_set),
		TEST(test_map),
		TEST(test_move_decode),
		TEST(test_guest_read),
		TEST(test_move_decode_random),
		TEST(test_guest_handles),
		cmocka_unit_test(test_msrs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
