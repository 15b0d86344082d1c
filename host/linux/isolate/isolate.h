/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page-table isolation: on a processor with Meltdown, a component executes on a page table of its CPU that maps the
 * component and only those parts of the kernel that an entry needs.
 */
#ifndef ISOLATE_H
#define ISOLATE_H

#include <entry/entry.h>

/* entry.S: the entries, and the targets of the exits of entry/syscall.S. */
void isolate_syscall(void);
void isolate_cstar(void);
extern u8 isolate_stubs[256][ENTRY_STUB];
void isolate_sysret(void);
void isolate_iret(void);

extern bool isolate_on; /* components execute on restricted tables */

/*
 * If Linux isolates page tables and components are not trusted, makes the restricted table of each CPU and chooses the
 * entries and exits for it. hook_prepare() must have returned. Returns 0 or an error. isolate_end() is needed in both
 * cases. Context: attach, may sleep.
 */
int isolate_prepare(bool trusted);
void isolate_end(void);

#endif
