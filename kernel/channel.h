/* SPDX-License-Identifier: GPL-2.0 */
/* Channels: frames that a Linux process maps too, with an event each way. */
#ifndef KERNEL_CHANNEL_H
#define KERNEL_CHANNEL_H

#include <kernel/object.h>

struct component;
struct cpu;
struct endpoint;
struct thread;

struct channel {
	struct object object;
	word frame, frames;	   /* what the Linux side may map; frames 0: no channel */
	struct endpoint *endpoint; /* gets `event` when the Linux side notifies */
	word event;		   /* one bit */
	u8 number;
	bool ended; /* the owner's life has ended, and no new one begun */
	u32 stops;  /* how often it has; only ever grows, the host may read it */
};

void channel_destroy(struct channel *channel);
/* The owner of some channels was stopped: the host's side of them hears of it. */
void channel_component_stopped(struct cpu *cpu, const struct component *c);
/* A thread died, for which the same holds; or was started. */
void channel_thread_died(struct cpu *cpu, const struct thread *t);
void channel_thread_started(struct cpu *cpu, const struct thread *t);

long call_channel_create(struct cpu *cpu, struct hal_regs *r);
long call_channel_notify(struct cpu *cpu, struct hal_regs *r);
long call_channel_state(struct cpu *cpu, struct hal_regs *r);

#endif
