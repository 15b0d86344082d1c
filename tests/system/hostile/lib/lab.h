/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A laboratory is a component for tests that attack. It holds the free frames and makes components of them, whose code
 * it writes at run time. Its component.toml has the privilege memory, a thread, and the import log.
 *
 * A domain is such a component. All of it lies below 4 GiB, so that 32-bit code can run in it.
 */
#ifndef HOSTILE_LAB_H
#define HOSTILE_LAB_H

#include <runtime/component.h>

#define DOMAIN_CODE 0x10000000ul
#define DOMAIN_CODE_PAGES 2ul
#define DOMAIN_DATA 0x10100000ul
#define DOMAIN_DATA_PAGES 4ul
#define DOMAIN_STACKS 0x11000000ul
#define DOMAIN_STACK_SHIFT 13ul
#define DOMAIN_POOL 24ul /* pages for lower levels of its page table */
#define DOMAIN_SLOTS 63ul
#define DOMAIN_SLOT_TABLE 1ul /* its own table, if it has it */
#define DOMAIN_SLOT_GATE 8ul  /* first slot of its gates */

struct domain {
	word frames; /* slot of the frames of its objects; deleting it deletes all of these */
	word pt, table, component, gate; /* slots */
	word code_frames, data_frames;	 /* slots of frames that are also mapped in the lab */
	unsigned char *code;		 /* the lab's mappings of them */
	word *data;
	unsigned int index;
};

/* Returns the top of the stack of thread `id` in a domain. */
static inline word domain_stack(unsigned int id)
{
	return DOMAIN_STACKS + ((id + 1ul) << DOMAIN_STACK_SHIFT);
}

/* All registers after a kernel call or invocation, in this order. */
struct after {
	word rax, rbx, rbp, r12, r13, r14, r15;
	word rcx, rdx, rsi, rdi, r8, r9, r10, r11;
	word flags;
};

/* Executes SYSCALL with these words. All other registers hold known values: LAB_RUBBISH + n. */
long lab_syscall(long rax, const word words[6], struct after *after);
#define LAB_RUBBISH 0x1abba5e0000ul

/* Returns an empty slot of the lab's own table. */
word lab_slot(void);
void lab_slot_drop(word slot);
/* Returns a capability to `count` separate frames. */
word lab_frames(word count);
/* Makes a kernel object of `count` fresh frames. Stores the frames' slot in *frames, unless that is NULL. */
word lab_object(enum limpet_type type, word count, word *frames);
/* Maps frames in the lab. Returns the address of their first page. */
void *lab_view(word frames, word count);
/* Repeats the deletion until it is complete. Returns the status of the last step. */
long lab_delete(word slot);
long lab_revoke(word slot);

/* Makes a component with this index of the image, which must be unused. */
void domain_make(struct domain *domain, unsigned int index);
/* Maps pages of its own at `address`. Returns the frames' slot. */
word domain_map(const struct domain *domain, word address, word count, word rights);
/* Copies code to offset `at` of its code. */
void domain_write(const struct domain *domain, word at, const void *code, size_t size);
/* Gives it a copy of the lab's capability in `source`. */
void domain_give(const struct domain *domain, word source, word slot, word rights);
/* Sends its faults to the other domain's gate from now on. */
void domain_handler(const struct domain *domain, const struct domain *handler);
/* Makes a gate in the lab's table to offset `at` of its code. */
word domain_gate(const struct domain *domain, word at, word badge);

/* Print verdicts for lab.sh. lab_must stops the test on an error. */
void lab_pass(const char *name);
void lab_fail(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lab_must(long status, const char *what);
/* Prints the number of verdicts as the end. */
void lab_done(void);

/* Returns the same numbers for the same seed (xorshift64*). */
word lab_random(word *state);

#endif
