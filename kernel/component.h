/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Components: protection domains. A component consists of a page table, a capability table, the
 * addresses of its stacks, and a fault handler.
 *
 * `epoch` counts the stops of the component. An invocation frame stores the epoch in which its
 * thread entered. If the two differ, the component was stopped since, and the thread returns to the
 * caller with LIMPET_ECRASH.
 */
#ifndef KERNEL_COMPONENT_H
#define KERNEL_COMPONENT_H

#include <kernel/list.h>
#include <kernel/object.h>
#include <limpet/image.h>

struct component;

/* A function of a component that the kernel itself invokes. */
struct handler {
	struct component *component; /* NULL: no handler. Holds no reference */
	word entry, badge;
};

struct fault {
	word kind, address, error;
};

struct component {
	struct object object;
	word root; /* argument of hal_page_table_load; 0: no thread can enter, see `space` */
	word epoch;
	struct table *table;
	word stack_top;	   /* top of the stack of thread 0 */
	word stack_size;   /* bytes of each thread's stack; the stacks are contiguous */
	u64 entered, left; /* number of entries and exits of threads */
	word space;	   /* the same as root, but also while it is closed; 0: not activated */
	word syscalls;	   /* entry point of its Linux system calls; 0: they are faults */
	struct page_table *page_table;
	struct handler handler;
	struct list handled; /* links components with the same fault handler */
	struct list handles; /* components whose faults it handles */
	bool schedules;	     /* a scheduler's thread starts, or started, in it */
	bool closing;	     /* it has no more capabilities, and waits for threads to leave */
	u32 index;	     /* index in the image, for diagnostics */
	u32 faults;	     /* faults that were not repaired; followed by the last one */
	u32 fault_thread;
	word fault_ip;
	struct fault fault;
};

/* Returns the top of the stack of thread `id` in the component, 16-byte aligned. */
static inline word component_stack(const struct component *comp, word id)
{
	return comp->stack_top + id * comp->stack_size;
}

/*
 * Returns the number of stops, with LIMPET_CLOSED if the component is closed, as CAP_INFO returns
 * it.
 */
static inline word component_life(const struct component *comp)
{
	return comp->epoch | (comp->root ? 0 : LIMPET_CLOSED);
}

/* Returns whether the image marks the component with this index with a flag, LIMPET_COMPONENT_... */
bool component_marked(const struct cpu *cpu, u32 index, u32 flag);
struct object *component_create(void *memory);
/* Gives a component its protection domain: see COMPONENT_ACTIVATE. */
void component_activate(struct cpu *cpu, struct component *comp, struct page_table *pt,
			struct table *table, word stacks, word shift, u32 index);
/* Does one step. OBJECT_BUSY: it was stopped, and is destroyed after the last thread has left. */
enum destroyed component_destroy(struct cpu *cpu, struct component *comp);
/*
 * Ends all invocations of the component, see COMPONENT_STOP. threads_notify() notifies the threads.
 */
void component_stop(struct cpu *cpu, struct component *comp);

/*
 * Counts a thread that leaves. gate_return() does not need it, because a component that is closing
 * was stopped, and a thread cannot return from such a component on the fast path.
 */
static inline void component_left(struct cpu *cpu, struct component *comp)
{
	comp->left++;
	if (unlikely(comp->closing) && comp->left == comp->entered)
		object_doom(cpu, &comp->object);
}

/* Returns the component that a slot names with these rights. Returns NULL and sets *error on failure. */
struct component *component_get(struct cpu *cpu, word slot, unsigned int rights, long *error);

long call_component_activate(struct cpu *cpu, struct hal_regs *regs);
long call_component_handler(struct cpu *cpu, struct hal_regs *regs);
long call_component_stop(struct cpu *cpu, struct hal_regs *regs);
long call_component_open(struct cpu *cpu, struct hal_regs *regs);

#endif
