/* SPDX-License-Identifier: GPL-2.0 */
/* Channels: frames that a Linux process maps too, with an event each way. */
#ifndef KERNEL_CHANNEL_H
#define KERNEL_CHANNEL_H

#include <kernel/object.h>

struct endpoint;

struct channel {
	struct object object;
	word frame, frames;	   /* what the Linux side may map; frames 0: no channel */
	struct endpoint *endpoint; /* gets bit 0 when the Linux side notifies */
	u32 number;
};

void channel_destroy(struct channel *channel);

long call_channel_create(struct cpu *cpu, struct hal_regs *r);
long call_channel_notify(struct cpu *cpu, struct hal_regs *r);

#endif
