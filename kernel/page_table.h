/* SPDX-License-Identifier: GPL-2.0 */
/* Page tables: the user half of an address space. */
#ifndef KERNEL_PAGE_TABLE_H
#define KERNEL_PAGE_TABLE_H

#include <kernel/object.h>

#define PAGE_TABLE_FRAMES 2 /* the record, the root; any more are for lower levels */
#define PAGE_TABLE_EXTENSIONS 64

struct page_table {
	struct object object;
	struct hal_page_table hal;
	u32 space; /* address-space id */
	u32 extensions;
	struct {
		u32 frame, frames;
	} extension[PAGE_TABLE_EXTENSIONS]; /* what PT_EXTEND added */
};

_Static_assert(sizeof(struct page_table) <= LIMPET_PAGE, "the record is one frame");

/* An empty page table in `frames` frames at memory; NULL: no address-space id is free. */
struct object *page_table_create(struct cpu *cpu, void *memory, word frames);
enum destroyed page_table_destroy(struct cpu *cpu, struct page_table *pt);

long call_pt_map(struct cpu *cpu, struct hal_regs *r);
long call_pt_unmap(struct cpu *cpu, struct hal_regs *r);
long call_pt_protect(struct cpu *cpu, struct hal_regs *r);
long call_pt_extend(struct cpu *cpu, struct hal_regs *r);
long call_memory_read(struct cpu *cpu, struct hal_regs *r);

#endif
