// SPDX-License-Identifier: GPL-2.0
/* The tables that the processor needs while it is in the layer. */
#include <host/bare/bare.h>

#define CODE 0x10 /* as the guest has it: its selectors stay in the registers */
#define CODE_DESCRIPTOR 0x00af9b000000fffful
#define DATA_DESCRIPTOR 0x00cf93000000fffful

struct table {
	u16 limit;
	u64 base;
} __attribute__((packed));

static const u64 gdt[] = { 0, 0, CODE_DESCRIPTOR, DATA_DESCRIPTOR };
static u64 idt[256][2];

static void idt_make(void)
{
	for (unsigned int i = 0; i < 256; i++) {
		word stub = (word)bare_stubs[i];

		idt[i][0] = (stub & 0xffff) | CODE << 16 | 0x8e00ul << 32 |
			    (stub >> 16 & 0xffff) << 48;
		idt[i][1] = stub >> 32;
	}
}

void bare_cpu_begin(struct bare_cpu *b)
{
	const struct table gdtr = { sizeof(gdt) - 1, (word)gdt },
			   idtr = { sizeof(idt) - 1, (word)idt };

	idt_make(); /* by each CPU: all write the same */
	asm volatile("lgdt %0" : : "m"(gdtr));
	asm volatile("lidt %0" : : "m"(idtr));
	bare_apic_begin(b);
	bare_apic_offer(b);
}

void bare_cpu_end(struct bare_cpu *b)
{
	bare_arrived(b);
	bare_apic_end(b);
}
