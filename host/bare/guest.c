// SPDX-License-Identifier: GPL-2.0
/* Reads the guest's memory and instructions. The layer does not trust them. */
#include <host/bare/bare.h>

#define PAGE 4096ul
#define CR0_PG (1ul << 31)
#define P_PRESENT 1ul
#define P_LARGE 0x80ul
#define P_ADDRESS 0x000ffffffffff000ul
#define P_NX (1ul << 63)
#define EFER_LONG (1ul << 10)
#define GATE_PRESENT (1ul << 47)

/*
 * Returns the layer's address of the guest's physical memory. Returns NULL if the memory is not
 * mapped, hidden, an APIC's or a component's. The guest may read the open part of the region. The
 * caller's copy must not cross a page.
 */
static void *at_physical(const struct bare_cpu *cpu, word physical, bool write)
{
	const struct bare_memory *memory = &cpu->layer->physical;
	bool hidden = physical >= memory->hidden && physical < memory->hidden_end &&
		      (write || physical >= memory->open_end);

	if (physical >> memory->bits || hidden || bare_in_hole(memory, physical) ||
	    bare_io_apic_at(cpu->layer, physical) ||
	    bare_resources_hide(cpu->layer, LIMPET_RESOURCE_MEMORY, physical, 1))
		return NULL;
	return (void *)(physical + cpu->layer->virtual_offset);
}

/*
 * Translates an address by the guest's page tables, if paging is on. Returns ~0 if the page is not
 * mapped, or if `code` is set and it is not executable.
 */
static word translate(const struct bare_cpu *cpu, word address, bool code)
{
	word table = vm_cr3(&cpu->vm) & P_ADDRESS, entry = 0, span = 0;

	if (!(vm_cr0(&cpu->vm) & CR0_PG))
		return (u32)address;
	for (unsigned int level = cpu->layer->physical.levels; level; level--) {
		unsigned int shift = 12 + 9 * (level - 1);
		const u64 *at = at_physical(cpu, table + (address >> shift & 511) * 8, false);

		if (!at)
			return ~0ul;
		entry = *(const volatile u64 *)at;
		if (!(entry & P_PRESENT) || (code && entry & P_NX))
			return ~0ul;
		span = (1ul << shift) - 1;
		if (level > 1 && level < 4 && entry & P_LARGE)
			break;
		table = entry & P_ADDRESS;
	}
	return (entry & P_ADDRESS & ~span) | (address & span);
}

/* A page at a time: `to` or `from` is the layer's side. */
static bool guest_copy(const struct bare_cpu *cpu, word address, u8 *to, const u8 *from, word size)
{
	for (word at = 0, part; at < size; at += part) {
		word physical = translate(cpu, address + at, false);
		void *memory = physical == ~0ul ? NULL : at_physical(cpu, physical, !to);

		part = PAGE - (address + at) % PAGE;
		part = part < size - at ? part : size - at;
		if (!memory)
			return false;
		__builtin_memcpy(to ? to + at : memory, to ? memory : from + at, part);
	}
	return true;
}

bool bare_guest_read(const struct bare_cpu *cpu, word address, void *to, word size)
{
	return guest_copy(cpu, address, to, NULL, size);
}

bool bare_guest_write(const struct bare_cpu *cpu, word address, const void *from, word size)
{
	return guest_copy(cpu, address, NULL, from, size);
}

bool bare_guest_copy(const struct bare_cpu *cpu, word physical, void *to, word size)
{
	const void *at = at_physical(cpu, physical, false);

	if (at)
		__builtin_memcpy(to, at, size);
	return at;
}

bool bare_guest_handles(const struct bare_cpu *cpu, unsigned int vector)
{
	struct vm_table idt = vm_idt(&cpu->vm);
	u64 gate[2];
	word to;

	if (!(vm_efer(&cpu->vm) & EFER_LONG))
		return true;
	if (vector * sizeof(gate) + sizeof(gate) - 1 > idt.limit ||
	    !bare_guest_read(cpu, idt.base + vector * sizeof(gate), gate, sizeof(gate)) ||
	    !(gate[0] & GATE_PRESENT))
		return false;
	to = (gate[0] & 0xffff) | (gate[0] >> 32 & 0xffff0000) | gate[1] << 32;
	to = translate(cpu, to, true);
	return to != ~0ul && at_physical(cpu, to, false);
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

static bool is_move(u8 opcode)
{
	const u8 wide = opcode | 1; /* the lowest bit: not of bytes */

	return wide == 0x89 || wide == 0x8b || wide == 0x87 || wide == 0xc7;
}

/* Returns the operand size in bytes. */
static unsigned int move_size(u8 opcode, bool half, u8 rex)
{
	if (!(opcode & 1))
		return 1;
	return rex & 8 ? 8 : half ? 2 : 4;
}

/*
 * Decodes MOV, and XCHG as a store, because its loaded value is not used. An immediate of eight
 * bytes is encoded in four.
 */
bool bare_move_decode(const u8 *code, word size, struct bare_move *move)
{
	word at = 0, rest;
	u8 rex = 0, opcode;
	bool half = false;

	*move = (struct bare_move){ 0 };
	for (; at < size &&
	       (code[at] == 0x3e || code[at] == 0x65 || code[at] == 0x2e || code[at] == 0x66);
	     at++)
		half |= code[at] == 0x66;
	if (at < size && (code[at] & 0xf0) == 0x40)
		rex = code[at++];
	if (at + 8 > size)
		return false;
	opcode = code[at++];
	rest = is_move(opcode) ? modrm_length(&code[at]) : 0;
	if (!rest)
		return false;
	move->reg = (code[at] >> 3 & 7) | (rex & 4 ? 8 : 0);
	move->size = move_size(opcode, half, rex);
	move->store = (opcode | 1) != 0x8b;
	move->immediate = (opcode | 1) == 0xc7;
	at += rest;
	if (move->immediate) {
		rest = move->size < 4 ? move->size : 4;
		if (at + rest > size)
			return false;
		__builtin_memcpy(&move->value, &code[at], rest);
		at += rest;
	}
	move->length = (unsigned int)at;
	return true;
}

bool bare_move_read(struct bare_cpu *cpu, struct bare_move *move)
{
	word ip = vm_ip(&cpu->vm), here = PAGE - ip % PAGE;
	u8 code[15] = { 0 };

	here = here < sizeof(code) ? here : sizeof(code);
	/* Pending interrupts are taken first, because a read walks the guest's page tables. */
	bare_yield(cpu);
	if (!bare_guest_read(cpu, ip, code, here))
		return false;
	if (bare_move_decode(code, here, move))
		return true;
	if (here == sizeof(code))
		return false;
	bare_yield(cpu);
	bare_guest_read(cpu, ip + here, code + here, sizeof(code) - here); /* can be missing */
	return bare_move_decode(code, sizeof(code), move);
}
