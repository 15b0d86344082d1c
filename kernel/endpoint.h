/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Endpoints, at which a thread receives events. An event is a bit. Bits that arrive before the
 * thread receives are kept, but not counted. A scheduler's endpoint also gets notices about its
 * threads.
 */
#ifndef KERNEL_ENDPOINT_H
#define KERNEL_ENDPOINT_H

#include <kernel/list.h>
#include <kernel/object.h>

struct thread;

struct endpoint {
	struct object object;
	word bits;
	struct thread *thread; /* receiver */
	struct list notices;   /* threads with a notice for this scheduler, oldest first */
	struct list scheduled; /* threads that have it as their scheduler's endpoint */
	struct list sources;   /* sources of events for this endpoint */
	bool schedules;	       /* threads have, or had, it as their scheduler's endpoint */
	u32 preempted;	       /* 1 + id of the thread that its thread preempted */
};

/* A source of events from outside: a port, channel or interrupt, by its number in the inbox. */
struct source {
	struct list list;
	struct endpoint *endpoint; /* receives `bits` for each event; NULL: events are dropped */
	word bits;
	u64 count; /* number of all events of the source */
};

struct object *endpoint_create(void *memory);
/* Does one step: releases one source or one thread. The last step releases the receiver. */
enum destroyed endpoint_destroy(struct cpu *cpu, struct endpoint *ep);
/*
 * Sets the endpoint of a thread's scheduler, or unsets it if `ep` is NULL. Drops the thread's
 * pending notice.
 */
void endpoint_schedule(struct thread *thread, struct endpoint *ep);
/* Sends the events of a source to the endpoint. NULL: drops them. */
void source_bind(struct source *source, struct endpoint *ep, word bits);

/*
 * Posts an event. A thread that waits for it becomes ready. If its urgency is higher than that of the current thread,
 * or the CPU is idle, it runs immediately. Otherwise its scheduler gets a notice.
 */
void endpoint_post(struct cpu *cpu, struct endpoint *ep, word bits);
/* Notifies the thread's scheduler of its new state. The scheduler's thread may run immediately. */
void endpoint_notice(struct cpu *cpu, struct thread *thread, u32 notice);
/*
 * Switches from the current thread, which cannot continue, to its scheduler's thread. If that
 * cannot run, switches to the thread that receives the timer. If that cannot run either, the CPU
 * becomes idle, or the system ends.
 */
void endpoint_yield(struct cpu *cpu);
/* Returns whether a receive would return without waiting. */
bool endpoint_pending(const struct endpoint *ep);
/* Makes the pending events of the endpoint the result of the thread's kernel call. */
void endpoint_take(struct endpoint *ep, struct thread *thread);
/* Completes the receive of a thread that continues, if it was in one. */
void endpoint_complete(struct thread *thread);
/* Removes the thread from all endpoints. */
void endpoint_forget(struct thread *thread);

/* Returns the endpoint that a slot names with these rights. Returns NULL and sets *error on failure. */
struct endpoint *endpoint_get(struct cpu *cpu, word slot, unsigned int rights, long *error);

long call_endpoint_bind(struct cpu *cpu, struct hal_regs *regs);
long call_endpoint_send(struct cpu *cpu, struct hal_regs *regs);
long call_endpoint_receive(struct cpu *cpu, struct hal_regs *regs);
long call_port_export(struct cpu *cpu, struct hal_regs *regs);
long call_port_import(struct cpu *cpu, struct hal_regs *regs);

#endif
