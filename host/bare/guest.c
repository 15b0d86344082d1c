// SPDX-License-Identifier: GPL-2.0
/* What the layer reads of its guest: everything in it is a claim. */
#include <host/bare/bare.h>

#define PAGE 4096ul
#define P_PRESENT 1ul
#define P_LARGE 0x80ul
#define P_ADDRESS 0x000ffffffffff000ul

/*
 * Where the layer has `physical`; NULL: beyond what it has mapped, or nothing of the guest's: hidden, or
 * the APIC. What is copied there does not cross a page.
 */
static void *at_physical(const struct bare_cpu *b, word physical)
{
	const struct bare_memory *m = &b->layer->physical;

	if (physical >> m->bits || (physical >= m->hidden && physical < m->hidden_end) ||
	    physical / PAGE == m->hole / PAGE)
		return NULL;
	return (void *)(physical + b->layer->virtual_offset);
}

/* Through the guest's page tables; ~0: nothing is mapped there. */
static word translate(const struct bare_cpu *b, word address)
{
	word table = b->vmcb->cr3 & P_ADDRESS, entry = 0, span = 0;

	for (unsigned int level = b->layer->physical.levels; level; level--) {
		unsigned int shift = 12 + 9 * (level - 1);
		const u64 *at = at_physical(b, table + (address >> shift & 511) * 8);

		if (!at)
			return ~0ul;
		entry = *(const volatile u64 *)at;
		if (!(entry & P_PRESENT))
			return ~0ul;
		span = (1ul << shift) - 1;
		if (level > 1 && level < 4 && entry & P_LARGE)
			break;
		table = entry & P_ADDRESS;
	}
	return (entry & P_ADDRESS & ~span) | (address & span);
}

/* A page at a time: `to` or `from` is the layer's side. */
static bool guest_copy(const struct bare_cpu *b, word address, u8 *to, const u8 *from, word size)
{
	while (size) {
		word part = PAGE - address % PAGE, physical = translate(b, address);
		void *at = physical == ~0ul ? NULL : at_physical(b, physical);

		part = part < size ? part : size;
		if (!at)
			return false;
		__builtin_memcpy(to ? to : at, to ? at : from, part);
		address += part;
		size -= part;
		if (to)
			to += part;
		else
			from += part;
	}
	return true;
}

bool bare_guest_read(const struct bare_cpu *b, word address, void *to, word size)
{
	return guest_copy(b, address, to, NULL, size);
}

bool bare_guest_write(const struct bare_cpu *b, word address, const void *from, word size)
{
	return guest_copy(b, address, NULL, from, size);
}

bool bare_guest_copy(const struct bare_cpu *b, word physical, void *to, word size)
{
	const void *at = at_physical(b, physical);

	if (at)
		__builtin_memcpy(to, at, size);
	return at;
}

u64 *bare_reg(struct bare_cpu *b, unsigned int reg)
{
	/* In the order of the instruction set: ax cx dx bx sp bp si di. */
	u64 *const low[8] = { &b->vmcb->ax, &b->regs.cx, &b->regs.dx, &b->regs.bx,
			      &b->vmcb->sp, &b->regs.bp, &b->regs.si, &b->regs.di };

	return reg < 8 ? low[reg] : &b->regs.r8 + (reg - 8);
}

/* Bytes of ModRM, SIB and displacement (APM vol. 3 section 1.4); 0: a register, not memory. */
static word modrm_length(const u8 *modrm)
{
	u8 mod = modrm[0] >> 6, rm = modrm[0] & 7;
	word length = 1;

	if (mod == 3)
		return 0;
	if (rm == 4) {
		length++;
		if (mod == 0 && (modrm[1] & 7) == 5)
			return length + 4;
	}
	if (mod == 0)
		return rm == 5 ? length + 4 : length;
	return length + (mod == 1 ? 1 : 4);
}

/* MOV, and XCHG, whose load is not used by anyone; with 32 bits. */
bool bare_move_decode(const u8 *code, word size, struct bare_move *move)
{
	word at = 0, rest;
	u8 rex = 0, opcode;

	*move = (struct bare_move){ 0 };
	while (at < size && (code[at] == 0x3e || code[at] == 0x65 || code[at] == 0x2e))
		at++;
	if (at < size && (code[at] & 0xf0) == 0x40)
		rex = code[at++];
	if (at + 8 > size)
		return false;
	opcode = code[at++];
	if (rex & 8 || (opcode != 0x89 && opcode != 0x8b && opcode != 0x87 && opcode != 0xc7))
		return false;
	rest = modrm_length(&code[at]);
	if (!rest)
		return false;
	move->reg = (code[at] >> 3 & 7) | (rex & 4 ? 8 : 0);
	move->store = opcode != 0x8b;
	move->immediate = opcode == 0xc7;
	at += rest;
	if (move->immediate) {
		if (at + 4 > size)
			return false;
		__builtin_memcpy(&move->value, &code[at], 4);
		at += 4;
	}
	move->length = (unsigned int)at;
	return true;
}
