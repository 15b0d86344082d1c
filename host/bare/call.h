/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of the guest's kernel to the layer: VMMCALL with the number in rax, an address of its memory
 * in rdi and a size in rsi; the result comes in rax. Others, and those of programs, are invalid
 * instructions. The guest can be hostile: whatever it says is checked, and a refused call has changed
 * nothing of a system that runs. Cost: while it copies, components run as ever.
 */
#ifndef BARE_CALL_H
#define BARE_CALL_H

#include <kernel/cpu.h>
#include <limpet/device.h>
#include <limpet/image.h>

enum bare_call {
	/*
	 * This CPU is the bare processor's again. Result: exits since launch. BARE_EBUSY: a system runs; or
	 * this guest is not the one that launched the layer, whose code for that is gone.
	 */
	BARE_CALL_LEAVE = 0x4c620001,
	/*
	 * struct limpet_ioc_load; `error` is not used. BARE_EBUSY: a system runs, or a CPU has left. BARE_ENOMEM: more
	 * frames than there is memory. BARE_ENOSPC: too few for the booter. BARE_ENXIO: the machine does not have what
	 * components should get of it. BARE_E2BIG: that is too much. BARE_EEXIST: two of
	 * them should get the same. BARE_EINVAL, _EFAULT.
	 */
	BARE_CALL_LOAD,
	BARE_CALL_STOP,	 /* the system ends; 0 also when there is none */
	BARE_CALL_INFO,	 /* struct bare_info, at most rsi bytes of it */
	BARE_CALL_STAT,	 /* struct limpet_ioc_stat; BARE_EINVAL, _ENODEV */
	BARE_CALL_IMAGE, /* at most rsi bytes of the system's image; result: how many; BARE_ENODEV */
	BARE_CALL_CHANNEL, /* struct bare_channel; BARE_EINVAL, _ENOENT, _ENODEV */
	/*
	 * Sends the component's side of channel rsi (0 to CHANNELS_MAX - 1) of CPU rdi of the system an event. Takes
	 * the arguments in registers, because it is on the path of each message. BARE_EINVAL, _ENOENT, _ENODEV.
	 */
	BARE_CALL_NOTIFY,
	/*
	 * From now on CPU rdi gets vector rsi when bare_events changes, and at once; 0: none does.
	 * BARE_EINVAL: no such CPU or vector.
	 */
	BARE_CALL_VECTOR,
	/* It panics, or kexec would start another: with a system, this is the last that is heard of it. */
	BARE_CALL_DIED,
	BARE_CALL_LOG, /* at most rsi bytes that components printed and nobody has; how many */
	/*
	 * struct limpet_ioc_keep: a part of what another Linux is started from, when this one is dead. What was
	 * kept before is not complete from now on. BARE_EINVAL: outside the room for it. BARE_EFAULT.
	 */
	BARE_CALL_KEEP,
	/* rdi: enum limpet_kept. BARE_ENOENT: there is no room for any. */
	BARE_CALL_KEPT,
	/*
	 * struct limpet_ioc_save: memory of this guest's that is worth keeping when it dies, as its log. Replaces
	 * what was said before. BARE_EINVAL: no memory of its, or too much. BARE_ENOENT: no room. _EFAULT.
	 */
	BARE_CALL_SAVE,
	/* The guest lives, and calls again within rdi milliseconds, or is dead; 0: it may be silent for ever. */
	BARE_CALL_ALIVE,
	/* rdi: bits of the kinds of events that all CPUs record from now on. BARE_ENODEV, _ENOENT: no rings. */
	BARE_CALL_TRACE,
	/* struct limpet_ioc_trace: events of a CPU. BARE_EINVAL: no such CPU. _ENODEV, _EFAULT. */
	BARE_CALL_TRACE_READ,
	/*
	 * Makes CPU rdi leave the layer and wait for a startup IPI, as after INIT. The guest must not run on that
	 * CPU, because its state there is lost. BARE_EINVAL: no such CPU, or the caller's own. BARE_EBUSY: as _LEAVE.
	 */
	BARE_CALL_RELEASE,
	BARE_CALL_LAST = BARE_CALL_RELEASE
};

/* Results: as the guest's own error numbers. */
#define BARE_ENOENT (-2)
#define BARE_ENXIO (-6)
#define BARE_E2BIG (-7)
#define BARE_ENOMEM (-12)
#define BARE_EFAULT (-14)
#define BARE_EBUSY (-16)
#define BARE_EEXIST (-17)
#define BARE_ENODEV (-19)
#define BARE_EINVAL (-22)
#define BARE_ENOSPC (-28)

#define BARE_SHARE_MOST 900
#define BARE_SILENCE_MOST 3600000 /* ms */
#define BARE_TRACE_MOST 1024	  /* events that are read in one call */
#define BARE_VECTOR_LEAST 32
#define BARE_VECTOR_MOST 255

#define BARE_VERSION 4 /* of these calls */
struct bare_info {
	u32 version;	  /* BARE_VERSION */
	u64 uptime_ticks; /* of the system */
	u64 record;	  /* physical address of struct limpet_record; 0: there is no room */
	/* Without `version`, `uptime_ns` and what Linux knows of its processor. `hidden` begins with bare_events. */
	struct limpet_ioc_info info;
};

/* The memory of a channel; from this call on until the system ends the guest has it. */
struct bare_channel {
	u32 cpu, number;    /* given: CPU of the system; 0 to CHANNELS_MAX - 1 */
	u64 physical, size; /* out */
	u32 bit, stops; /* out: of the component's event; times that the owner's life has ended */
};

/*
 * How often the component's side of each channel notified the guest, and how often its owner's life had ended
 * then; the guest may read it at any time.
 */
struct bare_events {
	u32 notified[LIMPET_CPUS_MAX][CHANNELS_MAX];
	u32 stops[LIMPET_CPUS_MAX][CHANNELS_MAX];
};

#define BARE_EVENT_PAGES ((sizeof(struct bare_events) + LIMPET_PAGE - 1) / LIMPET_PAGE)

#endif
