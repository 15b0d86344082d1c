/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Components: protection domains. A component is a page table, a capability table, the place of its
 * stacks, and a fault handler.
 *
 * `epoch` counts how often the component was stopped. An invocation frame keeps the epoch in which
 * its thread entered; when the two differ, what the thread was doing there is gone, and the thread
 * returns to the caller with LIMPET_ECRASH.
 */
#ifndef KERNEL_COMPONENT_H
#define KERNEL_COMPONENT_H

#include <kernel/list.h>
#include <kernel/object.h>
#include <limpet/image.h>

struct component;

/* A function of a component that the kernel itself invokes. */
struct handler {
	struct component *component; /* NULL: none; it does not stay for this */
	word entry, badge;
};

struct fault {
	word kind, address, error;
};

struct component {
	struct object object;
	word root; /* for hal_page_table_load, of who comes in; 0: nobody can, see `space` */
	word epoch;
	struct table *table;
	word stack_top;	   /* of thread 0 */
	word stack_size;   /* of each thread; they follow one another */
	u64 entered, left; /* threads that came in, went out */
	word space;	   /* the same as root, but also while it is closed; 0: not activated */
	word syscalls;	   /* where its Linux system calls go; 0: they are faults */
	struct page_table *page_table;
	struct handler handler;
	struct list handled; /* with others that the same component handles the faults of */
	struct list handles; /* components whose faults it handles */
	bool schedules;	     /* a scheduler's thread begins, or began, in it */
	bool closing;	     /* it has no name any more, and waits for threads to leave */
	u32 index;	     /* in the image, for people */
	u32 faults;	     /* faults that were not repaired; of the last one: */
	u32 fault_thread;
	word fault_ip;
	struct fault fault;
};

/* Top of the stack of thread `id` in the component; 16-byte aligned. */
static inline word component_stack(const struct component *c, word id)
{
	return c->stack_top + id * c->stack_size;
}

/* How often it was stopped, and LIMPET_CLOSED: as CAP_INFO says it. */
static inline word component_life(const struct component *c)
{
	return c->epoch | (c->root ? 0 : LIMPET_CLOSED);
}

struct object *component_create(void *memory);
/* Gives a component its protection domain: see COMPONENT_ACTIVATE. */
void component_activate(struct cpu *cpu, struct component *c, struct page_table *pt,
			struct table *table, word stacks, word shift, u32 index);
/* Does one step. OBJECT_BUSY: it was stopped, and is destroyed after the last thread has left. */
enum destroyed component_destroy(struct cpu *cpu, struct component *c);
/* Ends all that threads do in it: see COMPONENT_STOP. threads_tell() notifies the threads. */
void component_stop(struct cpu *cpu, struct component *c);

/*
 * A thread leaves. gate_return() does without: from a component that is closing, and so was stopped,
 * nobody returns on the fast path.
 */
static inline void component_left(struct cpu *cpu, struct component *c)
{
	c->left++;
	if (unlikely(c->closing) && c->left == c->entered)
		object_doom(cpu, &c->object);
}

/* Returns the component that a slot names with these rights. Returns NULL and sets *error if there is none. */
struct component *component_get(struct cpu *cpu, word slot, unsigned int rights, long *error);

long call_component_activate(struct cpu *cpu, struct hal_regs *r);
long call_component_handler(struct cpu *cpu, struct hal_regs *r);
long call_component_stop(struct cpu *cpu, struct hal_regs *r);
long call_component_open(struct cpu *cpu, struct hal_regs *r);

#endif
