/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simulates a kernel with the machine's memory, page tables and capabilities to frames, for the
 * memory manager. It checks each call like the kernel. In addition, it checks that a frame of a
 * client belongs to no other client.
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
#define CHILD 6 /* a memory manager that is its client */
#define FRAMES 900
#define COMPONENTS 7 /* clients are 1, 2, 4, 5 and CHILD */
#define PAGES 1600   /* of a window that the tests use */

struct fake {
	unsigned int view[FRAMES];	     /* whether the manager maps the frame */
	unsigned int uses[FRAMES];	     /* mappings in clients */
	bool kernel[FRAMES];		     /* part of a page table */
	unsigned int spare[COMPONENTS];	     /* pages for lower levels of page tables */
	unsigned int extensions[COMPONENTS]; /* number of extensions */
	bool no_extension;		     /* page tables were already extended 64 times */
	long map_status;		     /* error of a map call; 0: it succeeds */
	unsigned int next_calls;	     /* faults passed on */
	long next_status;		     /* result of such a fault */
	long parent_status;
	word parent_pages;	     /* pages requested from the parent */
	void (*while_waiting)(void); /* runs once, at the next lock */
};

extern struct fake fake;

/* Resets everything to the state after boot, with these quotas, and starts the manager. Returns its status. */
long fake_boot(uint32_t quota);
/* Removes all shared memory, because it would outlive another boot. */
void fake_end(void);
/* Returns the rights of a component's page at an address, and its frame's memory, or 0 if there is no page. */
unsigned int fake_rights(unsigned int component, word address);
void *fake_memory(unsigned int component, word address);
/*
 * Accesses memory like an instruction of the component, including faults. Returns false if a fault
 * was not repaired.
 */
bool fake_touch(unsigned int component, word address, bool write);
/* Returns the number of frames that are mapped in clients or part of page tables. */
unsigned int fake_frames_used(void);
/* Returns the number of capabilities in the manager's own slots. */
unsigned int fake_slots_used(void);

#endif
