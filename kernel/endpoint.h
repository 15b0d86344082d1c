/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Endpoints: where events arrive for a thread. An event is a bit; bits that come before the thread
 * receives are kept, not counted. A scheduler's endpoint also gets notices about its threads.
 */
#ifndef KERNEL_ENDPOINT_H
#define KERNEL_ENDPOINT_H

#include <kernel/list.h>
#include <kernel/object.h>

struct thread;

struct endpoint {
	struct object object;
	word bits;
	struct thread *thread; /* who receives here */
	struct list notices;   /* threads with a notice for this scheduler, in order */
	struct list scheduled; /* threads that have it as their scheduler's endpoint */
	struct list sources;   /* whose events come here */
	bool schedules;	       /* threads have, or had, it as their scheduler's endpoint */
	u32 preempted;	       /* 1 + id of the thread that its thread preempted */
};

/* Where events come from outside: ports, channels and interrupts, by their number in the inbox. */
struct source {
	struct list list;
	struct endpoint *endpoint; /* receives `bits` for each event; NULL: events are dropped */
	word bits;
	u64 count; /* events since the source exists */
};

struct object *endpoint_create(void *memory);
/* Does one step: releases one source or one thread; the last step releases the rest. */
enum destroyed endpoint_destroy(struct cpu *cpu, struct endpoint *ep);
/* Makes the endpoint, or none if it is NULL, the scheduler's of a thread. Drops the thread's pending notice. */
void endpoint_schedule(struct thread *t, struct endpoint *ep);
/* Sends the events of a source to the endpoint. NULL: drops them. */
void source_bind(struct source *source, struct endpoint *ep, word bits);

/*
 * An event comes. A thread that waits for it becomes ready: it runs at once when it is more urgent
 * than the current thread or the CPU is idle, else its scheduler hears of it.
 */
void endpoint_post(struct cpu *cpu, struct endpoint *ep, word bits);
/* Tells the thread's scheduler of its new state; the scheduler's thread may run at once. */
void endpoint_notice(struct cpu *cpu, struct thread *t, u32 notice);
/*
 * The current thread cannot go on: its scheduler's thread does; or, when there is none that can, the
 * one that receives the timer; or the CPU idles or ends.
 */
void endpoint_yield(struct cpu *cpu);
/* True when a receive would not wait. */
bool endpoint_pending(const struct endpoint *ep);
/* The thread's kernel call returns what has come to the endpoint. */
void endpoint_take(struct endpoint *ep, struct thread *t);
/* Gives a thread that goes on the result of the receive that it was in, if any. */
void endpoint_complete(struct thread *t);
/* Takes the thread out of all endpoints. */
void endpoint_forget(struct thread *t);

/* Returns the endpoint that a slot names with these rights. Returns NULL and sets *error if there is none. */
struct endpoint *endpoint_get(struct cpu *cpu, word slot, unsigned int rights, long *error);

long call_endpoint_bind(struct cpu *cpu, struct hal_regs *r);
long call_endpoint_send(struct cpu *cpu, struct hal_regs *r);
long call_endpoint_receive(struct cpu *cpu, struct hal_regs *r);
long call_port_export(struct cpu *cpu, struct hal_regs *r);
long call_port_import(struct cpu *cpu, struct hal_regs *r);

#endif
