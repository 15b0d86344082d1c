/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CPU's kernel. Every object belongs to one CPU and only that CPU touches it, so the kernel has
 * no lock. What other CPUs and the host may change is in struct inbox, by atomic operations.
 */
#ifndef KERNEL_CPU_H
#define KERNEL_CPU_H

#include <kernel/channel.h>
#include <kernel/component.h>
#include <kernel/endpoint.h>
#include <kernel/frame.h>
#include <kernel/guest.h>
#include <kernel/resource.h>
#include <kernel/thread.h>
#include <kernel/trace.h>

_Static_assert(LIMPET_CPUS_MAX <= 64, "sets of CPUs are words");

/* Numbers of events from elsewhere. */
enum inbox_event {
	INBOX_PORT = 0,					/* an event port: another CPU sent */
	INBOX_CHANNEL = INBOX_PORT + LIMPET_PORTS,	/* a channel: the Linux side notified */
	INBOX_INTERRUPT = INBOX_CHANNEL + CHANNELS_MAX, /* a resource: its interrupt came */
	INBOX_EVENTS = INBOX_INTERRUPT + LIMPET_RESOURCES_MAX
};
#define INBOX_WORDS (INBOX_EVENTS / 64)
#define INBOX_AT_ONCE 3 /* words that one kernel_resume() takes */

/* Events and requests from outside the CPU. kernel_resume() takes them; it checks only `requests`. */
struct inbox {
	word requests; /* HOST_SHARE, HOST_END: the host wants the CPU; INBOX_...: kinds of events */
	word event[INBOX_WORDS]; /* bit n of word w: event 64 w + n */
	word trace;		 /* kinds of events to record from now on, with INBOX_TRACE */
	word host_state; /* enum limpet_death of Linux; 0: it runs. Set before events of LIMPET_LINE_LINUX */
};

#define INBOX_TRACE (1ul << 63)
#define INBOX_STOPPED (1ul << 62) /* from the kernel itself: threads_tell() */
#define INBOX_GUEST (1ul << 61)	  /* threads in struct cpu's `moved` */
#define INBOX_WORD 32		  /* bit 32 + w: event[w] is not 0 */

/* Puts an event into the inbox. Context: any. The caller kicks the CPU then. */
static inline void inbox_put(struct inbox *inbox, unsigned int event)
{
	hal_or(&inbox->event[event / 64], 1ul << event % 64);
	hal_or(&inbox->requests, 1ul << (INBOX_WORD + event / 64));
}

struct cpu {
	/* What the entry code reads; the offsets are generated. */
	struct thread *thread;	     /* the current thread */
	struct component *component; /* where it executes; NULL before the first thread */
	word ret;		     /* rax of the fast paths */
	word path;		     /* enum trace_path: how its system calls go */
	struct trace trace;
	struct host_requests host; /* before user level goes on, pending must be 0 */

	struct inbox inbox __attribute__((aligned(64)));

	u32 number;		/* of this CPU in the system */
	u32 cpus;		/* of the system */
	bool idle;		/* no thread can run: the current one waits */
	u8 budget;		/* steps that the current kernel call may still delete */
	struct thread *caller;	/* who made the current kernel call: it must not go in it */
	struct object *doomed;	/* objects without a name, to be taken apart */
	struct cpu *const *all; /* [cpus] */

	u64 deadline; /* of the one-shot timer; LIMPET_NEVER: none */
	u64 early;    /* how long before it the host may wake an idle CPU, ticks */
	u64 hold;     /* a deadline taken while idle, for which the next dispatch waits; 0: unset */
	u64 decided;  /* time stamp of that dispatch; the host reads it and sets it to 0 */
	u64 ticks_per_ms;
	struct endpoint *timer;	      /* gets LIMPET_EVENT_TIMER */
	struct component *timekeeper; /* who called CPU_TIMER, only compared; NULL: nobody did */
	struct source source[INBOX_EVENTS];
	u32 turn; /* word of the inbox that is taken next */
	struct channel channel[CHANNELS_MAX];
	struct object object; /* what the CPU capability names */

	struct thread *threads[LIMPET_THREADS_MAX];
	struct component *components[LIMPET_COMPONENTS_MAX]; /* by index in the image */
	u32 threads_end;				     /* above all ids that were used */
	u32 tell, untold;      /* the next thread to notify of a stop, and how many are left */
	struct guest **guests; /* [LIMPET_GUESTS_MAX], by id; NULL: the host has no guests */
	struct executive executive[LIMPET_EXECUTIVES_MAX];
	struct list moved; /* handler threads that guests_ready() makes ready */
	struct list news;  /* guests that the host tells of an answer or a request; HOST_GUEST */
	struct frame_pool *pool;
	u64 spaces[24]; /* bitmap of address-space ids in use */

	u64 calls, events, faults, timers;
	u64 resumes, interrupted; /* counted by the entry code */

	const struct limpet_image_resource *resource; /* of the machine, of the whole system */
	const struct limpet_image_component *record;  /* components of the image */
	u32 resources;
	u32 message_data; /* what a device writes to `message` to interrupt this CPU */
	u64 message;	  /* physical address; 0: it cannot */
};

/* Kernel entry points, called by the entry code on the CPU's kernel stack, interrupts off. */

/* A kernel call; `op` is LIMPET_CALL_... or out of range; the thread's registers are saved. */
void kernel_call(struct cpu *cpu, word op);
/* An exception of the current thread, or a system call of none of ours; registers are saved. */
void kernel_fault(struct cpu *cpu, word kind, word error, word address);
/* The CPU goes to the host; the current thread's registers are saved. */
void kernel_pause(struct cpu *cpu);
/* The host gives the CPU to components: takes what came in meanwhile. */
void kernel_resume(struct cpu *cpu);

/*
 * Whether the current component may set the CPU's deadline and threads' urgencies: to hold a thread is
 * not enough, for who has frames can make threads.
 */
static inline bool cpu_keeps_time(const struct cpu *cpu)
{
	return !cpu->timekeeper || cpu->timekeeper == cpu->component;
}

/* Requests another kernel_resume() for `kind`, one of INBOX_..., after the host had a turn. */
void cpu_again(struct cpu *cpu, word kind);
/* Makes `deadline` the CPU's next timer event, in ticks. */
void cpu_deadline(struct cpu *cpu, u64 deadline);
/*
 * Waits for the deadline whose event was posted early. Called after the switch to the dispatched thread, so that only
 * the return to user level follows. Returns without waiting if the host has a request pending. Takes at most `early`
 * ticks, with interrupts off. The wait is not counted as the thread's time.
 */
void cpu_hold(struct cpu *cpu) __attribute__((__noinline__, __cold__));

long call_cpu_info(struct cpu *cpu, struct hal_regs *r);
long call_cpu_timer(struct cpu *cpu, struct hal_regs *r);
long call_cpu_print(struct cpu *cpu, struct hal_regs *r);

#endif
