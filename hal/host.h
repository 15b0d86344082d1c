/* SPDX-License-Identifier: GPL-2.0 */
/*
 * host.h: the lower half of the H2AL, what the kernel asks of whatever is below it.
 *
 * The kernel never calls the host and never waits for it. It leaves requests in struct
 * host_requests, one per CPU, and goes on; the entry code sees that there are any before it returns
 * to user level and gives the CPU to the host, which carries them out and calls kernel_resume().
 * So the kernel has no line that knows which host it runs on, and none of these can fail.
 *
 * Context of each function: as in hal.h. Cost: a few instructions, and one passage to the host.
 *
 *   host/linux   beside: the CPU's host thread carries them out, when it calls fdatasync
 *   hal/fake     tests look at the requests
 *
 * What the host gives before the kernel starts: struct setup in <kernel/boot.h> (frames, stack, CPU
 * number, clock rate); and while it runs: kernel_pause() before it takes the CPU, kernel_resume()
 * when it gives it back, and the CPU's inbox, in which it may set bits at any time.
 */
#ifndef HOST_H
#define HOST_H

#include <hal/types.h>
#include <limpet/limits.h>

#define HOST_PRINT_MAX 1024

/* Bits of host_requests.pending. Part of the ABI: LIMPET_REASON_... of <limpet/device.h>. */
enum host_request {
	HOST_IDLE = 1,	  /* nothing to run until the deadline or an event */
	HOST_TIMER = 2,	  /* the timer is programmed for later than the deadline */
	HOST_NOTIFY = 4,  /* wake the host's side of the channels in `notify` */
	HOST_KICK = 8,	  /* see that kernel_resume() runs on the CPUs in `kick` */
	HOST_SHARE = 16,  /* set by the host itself: it wants its share of the CPU */
	HOST_END = 32,	  /* the system ends: also set by the host itself */
	HOST_PRINT = 64,  /* put `print` on the host's console */
	HOST_ACK = 128,	  /* let the interrupts in `acks` come again */
	HOST_SERVE = 256, /* set by the host itself: it has something to do for channels */
	HOST_GUEST = 512, /* guests have news, or an executive has an idle thread */
};

struct host_requests {
	u32 pending;
	u32 print_length;
	u64 deadline;	/* time stamp at which kernel_resume() is wanted */
	u64 programmed; /* set by the host: when it will be called; LIMPET_NEVER once it was */
	u64 notify[LIMPET_CHANNELS_MAX / 64];
	u64 kick;
	u64 acks;
	char print[HOST_PRINT_MAX];
};

/*
 * One-shot timer: kernel_resume() is called at or soon after time stamp `deadline`, in place of the
 * deadline before; LIMPET_NEVER: none. The host may call it early: at a deadline given up, or, when
 * the CPU idles, by up to struct setup's `early`, which the kernel then waits out.
 */
static inline void host_timer(struct host_requests *host, u64 deadline)
{
	host->deadline = deadline;
	if (deadline < host->programmed)
		host->pending |= HOST_TIMER;
}

/* Nothing to run: the host may use the CPU until the deadline or an event. */
static inline void host_idle(struct host_requests *host)
{
	host->pending |= HOST_IDLE;
}

/* kernel_resume() is called soon on CPU number `target` of the system. */
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
 * The line of interrupt `number`, level triggered, may interrupt again: the host keeps such a line from
 * doing so from when it sets the interrupt's bit in the inbox.
 */
static inline void host_interrupt_ack(struct host_requests *host, unsigned int number)
{
	host->acks |= 1ul << number;
	host->pending |= HOST_ACK;
}

/* Text for the host's console; what does not fit before the host takes it is lost. */
static inline void host_print(struct host_requests *host, const char *text, unsigned int length)
{
	for (unsigned int i = 0; i < length && host->print_length < HOST_PRINT_MAX; i++)
		host->print[host->print_length++] = text[i];
	host->pending |= HOST_PRINT;
}

/* The host looks at what the kernel has to say to its threads that are guests. */
static inline void host_guest(struct host_requests *host)
{
	host->pending |= HOST_GUEST;
}

/* This CPU has no thread left that could ever run: the system ends. */
static inline void host_end(struct host_requests *host)
{
	host->pending |= HOST_END;
}

#endif
