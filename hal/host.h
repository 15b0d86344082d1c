/* SPDX-License-Identifier: GPL-2.0 */
/*
 * host.h: the lower half of the H2AL, by which the kernel uses the host below it.
 *
 * The kernel never calls the host and never waits for it. It stores requests in struct
 * host_requests, one per CPU, and continues. Before a return to user level, the entry code checks
 * for requests. If there are any, it switches to the host, which carries them out and calls
 * kernel_resume(). So the kernel's code does not depend on the host, and these functions cannot
 * fail.
 *
 * Context of each function: as in hal.h. Cost: a few instructions, and one switch to the host.
 *
 *   host/linux   in beside mode: the CPU's host thread carries the requests out in its system call
 *   host/bare    in beneath mode: the layer carries them out
 *   hal/fake     tests read the requests
 *
 * Before the kernel starts, the host provides struct setup of <kernel/boot.h> (frames, stack, CPU
 * number, clock rate). While the kernel runs, the host calls kernel_pause() before it takes the
 * CPU, and kernel_resume() when it returns the CPU. It may set bits in the CPU's inbox at any time.
 */
#ifndef HOST_H
#define HOST_H

#include <hal/types.h>
#include <limpet/limits.h>

#define HOST_PRINT_MAX 1024

/* Bits of host_requests.pending. Part of the ABI: LIMPET_REASON_... of <limpet/device.h>. */
enum host_request {
	HOST_IDLE = 1,	  /* no thread can run until the deadline or an event */
	HOST_TIMER = 2,	  /* the timer is programmed for later than the deadline */
	HOST_NOTIFY = 4,  /* wake the host's side of the channels in `notify` */
	HOST_KICK = 8,	  /* make kernel_resume() run on the CPUs in `kick` */
	HOST_SHARE = 16,  /* set by the host itself: it wants its share of the CPU */
	HOST_END = 32,	  /* the system ends; also set by the host itself */
	HOST_PRINT = 64,  /* write `print` to the host's console */
	HOST_ACK = 128,	  /* unmask the interrupts in `acks` */
	HOST_GUEST = 512, /* a guest has an answer, or an executive has an idle thread */
};

struct host_requests {
	u32 pending;
	u32 print_length;
	u64 deadline;	/* requested time stamp of kernel_resume() */
	u64 programmed; /* set by the host: programmed time stamp; LIMPET_NEVER after the expiry */
	u64 notify[LIMPET_CHANNELS_MAX / 64];
	u64 kick;
	u64 acks;
	char print[HOST_PRINT_MAX];
};

/*
 * Programs the one-shot timer: the host calls kernel_resume() at or soon after time stamp
 * `deadline`, which replaces the last deadline. LIMPET_NEVER stops the timer. The host may call
 * kernel_resume() early: at a replaced deadline or, if the CPU is idle, by up to `early` of struct
 * setup. The kernel then waits for the deadline.
 */
static inline void host_timer(struct host_requests *host, u64 deadline)
{
	host->deadline = deadline;
	if (deadline < host->programmed)
		host->pending |= HOST_TIMER;
}

/* Reports that no thread can run. The host may use the CPU until the deadline or an event. */
static inline void host_idle(struct host_requests *host)
{
	host->pending |= HOST_IDLE;
}

/* Requests a call of kernel_resume() on CPU number `target` of the system. */
static inline void host_kick(struct host_requests *host, unsigned int target)
{
	host->kick |= 1ul << target;
	host->pending |= HOST_KICK;
}

/* Wakes the host's side of channel `number`. */
static inline void host_notify(struct host_requests *host, unsigned int number)
{
	host->notify[number / 64] |= 1ul << number % 64;
	host->pending |= HOST_NOTIFY;
}

/*
 * Unmasks interrupt `number`, which is level triggered. The host masks such an interrupt when it
 * sets its bit in the inbox.
 */
static inline void host_interrupt_ack(struct host_requests *host, unsigned int number)
{
	host->acks |= 1ul << number;
	host->pending |= HOST_ACK;
}

/* Appends text for the host's console. Text that does not fit before the host reads it is lost. */
static inline void host_print(struct host_requests *host, const char *text, unsigned int length)
{
	for (unsigned int i = 0; i < length && host->print_length < HOST_PRINT_MAX; i++)
		host->print[host->print_length++] = text[i];
	host->pending |= HOST_PRINT;
}

/* Asks the host to process the answers and requests for guests. */
static inline void host_guest(struct host_requests *host)
{
	host->pending |= HOST_GUEST;
}

/* Ends the system, because no thread of this CPU can ever run again. */
static inline void host_end(struct host_requests *host)
{
	host->pending |= HOST_END;
}

#endif
