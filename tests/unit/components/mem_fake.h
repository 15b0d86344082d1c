/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel with the memory of a machine, page tables and capabilities to frames, for the memory
 * manager. It checks each call like the kernel. In addition, it checks that a frame of a client
 * belongs to no other client.
 */
#ifndef MEM_FAKE_H
#define MEM_FAKE_H

#include <stdarg.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <runtime/component.h>
#include <runtime/window.h>

#define OWN 3	/* index of the manager */
#define CHILD 6 /* a memory manager that it serves */
#define FRAMES 900
#define COMPONENTS 7 /* 1, 2, 4, 5 and CHILD are served */
#define PAGES 1600   /* of a window, as far as the tests look */

struct fake {
	unsigned int view[FRAMES];	     /* whether the manager sees the frame */
	unsigned int uses[FRAMES];	     /* mappings in clients */
	bool kernel[FRAMES];		     /* part of a page table */
	unsigned int spare[COMPONENTS];	     /* pages for lower levels of page tables */
	unsigned int extensions[COMPONENTS]; /* how often one was extended */
	bool no_extension;		     /* page tables are extended 64 times already */
	long map_status;		     /* with which the kernel refuses to map; 0: it maps */
	unsigned int next_calls;	     /* faults passed on */
	long next_status;		     /* what becomes of them */
	long parent_status;
	word parent_pages;	     /* what the parent was asked for */
	void (*while_waiting)(void); /* runs once, when the lock is taken next */
};

extern struct fake fake;

/* Everything as after boot, with these quotas; and the manager begins. Returns its status. */
long fake_boot(uint32_t quota);
/* Nothing is shared any more: all that outlives another boot. */
void fake_end(void);
/* Returns the page of a component at an address: rights, and the frame's memory. 0: no page. */
unsigned int fake_rights(unsigned int component, word address);
void *fake_memory(unsigned int component, word address);
/*
 * Accesses memory like an instruction of the component, including faults. Returns false if a fault
 * was not repaired.
 */
bool fake_touch(unsigned int component, word address, bool write);
/* Frames mapped in clients or part of page tables. */
unsigned int fake_frames_used(void);
/* Returns the number of capabilities in the manager's own slots. */
unsigned int fake_slots_used(void);

#endif
