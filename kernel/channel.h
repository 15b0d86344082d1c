/* SPDX-License-Identifier: GPL-2.0 */
/* Channels: frames that a Linux process also maps, with an event in each direction. */
#ifndef KERNEL_CHANNEL_H
#define KERNEL_CHANNEL_H

#include <kernel/object.h>

struct cpu;
struct thread;

#define CHANNELS_MAX LIMPET_CHANNELS_MAX

struct channel {
	struct object object;
	word area; /* CHANNEL_AREA() that the Linux side may map; 0: the channel does not exist */
	u32 number;
	bool ended; /* the owner has ended and was not restarted */
	u32 stops;  /* number of ends of the owner; never decreases; the host may read it */
};

/* One word, because the host can read it while the owner replaces the channel. */
#define CHANNEL_AREA(first, frames) ((word)(first) << 8 | (word)(frames))
_Static_assert(LIMPET_CHANNEL_FRAMES_MAX < 1 << 8, "the number of frames has 8 bits");

struct channel_area {
	word first, frames; /* frames 0: the channel does not exist */
};

/*
 * Returns the frames that the Linux side may map. The host can call it at any time, also on another
 * CPU.
 */
static inline struct channel_area channel_area(const struct channel *channel)
{
	word area = __atomic_load_n(&channel->area, __ATOMIC_ACQUIRE);

	return (struct channel_area){ area >> 8, area & 0xff };
}

void channel_destroy(struct cpu *cpu, struct channel *channel);
/*
 * Records in the channels of a thread that the thread has ended, because it died or its component
 * was stopped, or that it was started. Notifies Linux's side of an end. Linear in the sources of
 * the thread's endpoint.
 */
void channel_owner(struct cpu *cpu, const struct thread *thread, bool ended);

long call_channel_create(struct cpu *cpu, struct hal_regs *regs);
long call_channel_notify(struct cpu *cpu, struct hal_regs *regs);
long call_channel_state(struct cpu *cpu, struct hal_regs *regs);

#endif
