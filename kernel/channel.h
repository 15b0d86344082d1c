/* SPDX-License-Identifier: GPL-2.0 */
/* Channels: frames that a Linux process maps too, with an event each way. */
#ifndef KERNEL_CHANNEL_H
#define KERNEL_CHANNEL_H

#include <kernel/object.h>

struct cpu;
struct thread;

#define CHANNELS_MAX LIMPET_CHANNELS_MAX

struct channel {
	struct object object;
	word area; /* what the Linux side may map: CHANNEL_AREA(), or 0: no channel */
	u32 number;
	bool ended; /* the owner's life has ended, and no new one begun */
	u32 stops;  /* how often it has; only ever grows, the host may read it */
};

/* One word, because the host can read it while the owner replaces the channel. */
#define CHANNEL_AREA(first, frames) ((word)(first) << 8 | (word)(frames))
_Static_assert(LIMPET_CHANNEL_FRAMES_MAX < 1 << 8, "the number of frames has 8 bits");

struct channel_area {
	word first, frames; /* frames 0: no channel */
};

/* Returns what the Linux side may map. The host can call it at any time, on another CPU than the channel's. */
static inline struct channel_area channel_area(const struct channel *channel)
{
	word area = __atomic_load_n(&channel->area, __ATOMIC_ACQUIRE);

	return (struct channel_area){ area >> 8, area & 0xff };
}

void channel_destroy(struct cpu *cpu, struct channel *channel);
/*
 * The life of a thread has ended, because it died or its component was stopped, or a new life begins. Linux's side of
 * the thread's channels is told of an end. Linear in the sources of the thread's endpoint.
 */
void channel_owner(struct cpu *cpu, const struct thread *t, bool ended);

long call_channel_create(struct cpu *cpu, struct hal_regs *r);
long call_channel_notify(struct cpu *cpu, struct hal_regs *r);
long call_channel_state(struct cpu *cpu, struct hal_regs *r);

#endif
