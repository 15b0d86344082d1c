// SPDX-License-Identifier: GPL-2.0
/* What the layer reads of its guest: everything in it is a claim. */
#include <host/bare/bare.h>

#define PAGE 4096ul
#define P_PRESENT 1ul
#define P_LARGE 0x80ul
#define P_ADDRESS 0x000ffffffffff000ul

/* Not beyond what the layer has mapped, and not what is hidden; `size` does not cross a page. */
static bool physical_read(const struct bare_cpu *b, word physical, void *to, word size)
{
	if (physical >= b->memory_end || (physical >= b->hidden && physical < b->hidden_end))
		return false;
	__builtin_memcpy(to, (const void *)(physical + b->virtual_offset), size);
	return true;
}

/* Through the guest's page tables; ~0: nothing is mapped there. */
static word translate(const struct bare_cpu *b, word address)
{
	word table = b->vmcb->cr3 & P_ADDRESS, entry = 0, span = 0;

	for (unsigned int level = b->levels; level; level--) {
		unsigned int shift = 12 + 9 * (level - 1);

		if (!physical_read(b, table + (address >> shift & 511) * 8, &entry, 8) ||
		    !(entry & P_PRESENT))
			return ~0ul;
		span = (1ul << shift) - 1;
		if (level > 1 && level < 4 && entry & P_LARGE)
			break;
		table = entry & P_ADDRESS;
	}
	return (entry & P_ADDRESS & ~span) | (address & span);
}

bool bare_guest_read(const struct bare_cpu *b, word address, void *to, word size)
{
	while (size) {
		word part = PAGE - address % PAGE, physical = translate(b, address);

		part = part < size ? part : size;
		if (physical == ~0ul || !physical_read(b, physical, to, part))
			return false;
		address += part;
		to = (u8 *)to + part;
		size -= part;
	}
	return true;
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
