/* SPDX-License-Identifier: GPL-2.0 */
/* Page tables: the user half of an address space. */
#ifndef KERNEL_PAGE_TABLE_H
#define KERNEL_PAGE_TABLE_H

#include <kernel/object.h>

struct page_table {
	struct object object;
	struct hal_page_table hal; /* its pages are frames that PT_EXTEND added */
};

/* Makes a page table without pages. Returns NULL if no address-space id is free. */
struct object *page_table_create(struct cpu *cpu, void *memory);
/*
 * Adds frames that are kernel memory: a root, if it has no root, and spare pages for lower levels.
 */
void page_table_extend(struct cpu *cpu, struct page_table *pt, word first, word count);
/* Does one step: releases one of its pages. */
enum destroyed page_table_destroy(struct cpu *cpu, struct page_table *pt);

long call_pt_map(struct cpu *cpu, struct hal_regs *regs);
long call_pt_unmap(struct cpu *cpu, struct hal_regs *regs);
long call_pt_protect(struct cpu *cpu, struct hal_regs *regs);
long call_pt_extend(struct cpu *cpu, struct hal_regs *regs);
long call_pt_hold(struct cpu *cpu, struct hal_regs *regs);
long call_memory_read(struct cpu *cpu, struct hal_regs *regs);
long call_memory_write(struct cpu *cpu, struct hal_regs *regs);

#endif
