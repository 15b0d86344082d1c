/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Endpoints: where events arrive for a thread. An event is a bit; bits that come before the thread
 * receives are kept, not counted. A scheduler's endpoint also gets notices about its threads.
 */
#ifndef KERNEL_ENDPOINT_H
#define KERNEL_ENDPOINT_H

#include <kernel/object.h>

struct thread;

struct endpoint {
	struct object object;
	word bits;
	struct thread *thread;	     /* who receives here */
	struct thread *notice_first; /* threads with a notice for this scheduler, in order */
	struct thread *notice_last;
	bool schedules; /* threads have it as their scheduler's endpoint */
	u32 preempted;	/* 1 + id of the thread that its thread preempted */
};

struct object *endpoint_create(void *memory);
void endpoint_destroy(struct cpu *cpu, struct endpoint *ep);

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
/* Takes the thread's pending notice back; and takes the thread out of all endpoints. */
void endpoint_cancel(struct thread *t);
void endpoint_forget(struct thread *t);

long call_endpoint_bind(struct cpu *cpu, struct hal_regs *r);
long call_endpoint_send(struct cpu *cpu, struct hal_regs *r);
long call_endpoint_receive(struct cpu *cpu, struct hal_regs *r);
long call_port_export(struct cpu *cpu, struct hal_regs *r);
long call_port_import(struct cpu *cpu, struct hal_regs *r);

#endif
