/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls of the guest's kernel to the layer: VMMCALL with the number in rax, an address of its
 * memory in rdi and a size in rsi. The result is in rax. Other numbers, and calls by programs, are
 * invalid instructions. The guest can be hostile: the layer checks all arguments, and a refused
 * call does not change the running system. Components run during a call.
 */
#ifndef BARE_CALL_H
#define BARE_CALL_H

#include <kernel/cpu.h>
#include <limpet/device.h>
#include <limpet/image.h>

enum bare_call {
	/*
	 * Ends the layer on this CPU. Returns the number of exits since the launch. BARE_EBUSY: a
	 * system runs, or this guest is not the one that launched the layer, so the code to leave
	 * it does not exist any more.
	 */
	BARE_CALL_LEAVE = 0x4c620001,
	/*
	 * Loads and starts a system: struct limpet_ioc_load, without `error`. BARE_EBUSY: a system
	 * runs, or a CPU has left. BARE_ENOMEM: not enough memory for the frames. BARE_ENOSPC: too
	 * few frames for the booter. BARE_ENXIO: the machine does not have a resource of a
	 * component. BARE_E2BIG: too many resources. BARE_EEXIST: a resource belongs to two
	 * components. BARE_EINVAL, _EFAULT.
	 */
	BARE_CALL_LOAD,
	BARE_CALL_STOP,	 /* ends the system; returns 0 also if no system runs */
	BARE_CALL_INFO,	 /* struct bare_info, at most rsi bytes of it */
	BARE_CALL_STAT,	 /* struct limpet_ioc_stat; BARE_EINVAL, _ENODEV */
	BARE_CALL_IMAGE, /* copies up to rsi bytes of the image, returns the number; BARE_ENODEV */
	BARE_CALL_CHANNEL, /* struct bare_channel; BARE_EINVAL, _ENOENT, _ENODEV */
	/*
	 * Sends the component's side of channel rsi (0 to CHANNELS_MAX - 1) of CPU rdi of the system an event. Takes
	 * the arguments in registers, because it is on the path of each message. BARE_EINVAL, _ENOENT, _ENODEV.
	 */
	BARE_CALL_NOTIFY,
	/*
	 * Makes CPU rdi get vector rsi immediately, and when bare_events changes. 0: no CPU gets a
	 * vector. BARE_EINVAL: the CPU is not in the layer, or the vector is out of range.
	 */
	BARE_CALL_VECTOR,
	/*
	 * Reports that the guest panics, or is about to start another kernel. If a system runs, the
	 * guest is then dead.
	 */
	BARE_CALL_DIED,
	BARE_CALL_LOG, /* copies up to rsi bytes of components' new text; returns their number */
	/*
	 * struct limpet_ioc_keep: stores a part of the data for a restart of Linux, and marks the
	 * data as incomplete. BARE_EINVAL: the part does not fit into the reserved memory.
	 * BARE_EFAULT.
	 */
	BARE_CALL_KEEP,
	/* rdi: enum limpet_kept. BARE_EINVAL: another value. BARE_ENOENT: no memory is reserved. */
	BARE_CALL_KEPT,
	/*
	 * struct limpet_ioc_save: sets the memory of this guest that is saved when it dies, such as
	 * its log, in place of the last setting. BARE_EINVAL: not the guest's memory, or too much.
	 * BARE_ENOENT: no memory is reserved. _EFAULT.
	 */
	BARE_CALL_SAVE,
	/*
	 * Heartbeat: the guest must call again within rdi milliseconds, or it counts as dead. 0: no
	 * limit.
	 */
	BARE_CALL_ALIVE,
	/*
	 * rdi: bits of the kinds of events that all CPUs record. BARE_ENODEV, BARE_ENOENT: the
	 * system has no trace.
	 */
	BARE_CALL_TRACE,
	/*
	 * struct limpet_ioc_trace: reads events of a CPU. BARE_EINVAL: the system has no such CPU.
	 * _ENODEV, _EFAULT.
	 */
	BARE_CALL_TRACE_READ,
	/*
	 * Makes CPU rdi leave the layer and wait for a startup IPI, as after INIT. The guest must not run on that
	 * CPU, because its state there is lost. BARE_EINVAL: no such CPU, or the caller's own. BARE_EBUSY: as _LEAVE.
	 */
	BARE_CALL_RELEASE,
	BARE_CALL_LAST = BARE_CALL_RELEASE
};

/* Results. The values are those of the guest's own error numbers. */
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
#define BARE_EOPNOTSUPP (-95)

#define BARE_SHARE_MAX 900
#define BARE_SILENCE_MAX 3600000 /* ms */
#define BARE_TRACE_MAX 1024	 /* events that are read in one call */
#define BARE_VECTOR_MIN 32
#define BARE_VECTOR_MAX 255

#define BARE_VERSION 5 /* version of these calls */
struct bare_info {
	u32 version;	  /* BARE_VERSION */
	u64 uptime_ticks; /* time since the system started */
	u64 record;	  /* physical address of struct limpet_record; 0: no memory is reserved */
	/*
	 * Without `version`, `uptime_ns` and the fields of the processor. bare_events are at the
	 * start of `hidden`.
	 */
	struct limpet_ioc_info info;
};

/* The memory of a channel. The guest can access it from this call on until the system ends. */
struct bare_channel {
	u32 cpu, number;    /* in: CPU of the system; 0 to CHANNELS_MAX - 1 */
	u64 physical, size; /* out */
	u32 bit, stops;	    /* out: the component's event bit; number of ends of the owner */
};

/*
 * `count` is the number of notifications of the guest by the components of each CPU. The last ones
 * are in `last`: notification i is of channel last[cpu][i % CHANNELS_MAX]. `stops` is the number of
 * ends of each channel's owner. The guest may read all at any time.
 */
struct bare_events {
	u32 count[LIMPET_CPUS_MAX], stops[LIMPET_CPUS_MAX][CHANNELS_MAX];
	u8 last[LIMPET_CPUS_MAX][CHANNELS_MAX];
};

#define BARE_EVENT_PAGES ((sizeof(struct bare_events) + LIMPET_PAGE - 1) / LIMPET_PAGE)

#endif
