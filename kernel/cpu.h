/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CPU's kernel. Each object belongs to one CPU, and only that CPU accesses it, so the kernel
 * needs no locks. Other CPUs and the host change only struct inbox, with atomic operations.
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

/* Numbers of events from outside the CPU. */
enum inbox_event {
	INBOX_PORT = 0,					/* event ports, to which other CPUs send */
	INBOX_CHANNEL = INBOX_PORT + LIMPET_PORTS,	/* channels, notified by Linux */
	INBOX_INTERRUPT = INBOX_CHANNEL + CHANNELS_MAX, /* interrupts of resources */
	INBOX_EVENTS = INBOX_INTERRUPT + LIMPET_RESOURCES_MAX
};
#define INBOX_WORDS (INBOX_EVENTS / 64)
#define INBOX_AT_ONCE 3 /* words that one kernel_resume() takes */

/* Events and requests from outside the CPU. kernel_resume() takes them; it checks only `requests`. */
struct inbox {
	word requests; /* HOST_SHARE, HOST_END: from the host; INBOX_...: kinds of events */
	word event[INBOX_WORDS];      /* bit n of word w: event 64 w + n */
	word trace;		      /* kinds of events to record from now on, with INBOX_TRACE */
	u8 clear[LIMPET_THREADS_MAX]; /* by thread id; 1: the end of its job clears its maxima */
	word host_state; /* enum limpet_death of Linux; 0: it runs. Set before events of LIMPET_LINE_LINUX */
};

#define INBOX_TRACE (1ul << 63)
#define INBOX_STOPPED (1ul << 62) /* request of the kernel itself: threads_notify() */
#define INBOX_GUEST (1ul << 61)	  /* threads in struct cpu's `moved` */
#define INBOX_WORD 32		  /* bit 32 + w: event[w] is not 0 */

/* Puts an event into the inbox. Any context. The caller must then kick the CPU. */
static inline void inbox_put(struct inbox *inbox, unsigned int event)
{
	hal_or(&inbox->event[event / 64], 1ul << event % 64);
	hal_or(&inbox->requests, 1ul << (INBOX_WORD + event / 64));
}

struct cpu {
	/* The entry code reads these fields. Their offsets are generated. */
	struct thread *thread;	     /* the current thread */
	struct component *component; /* its component; NULL before the first thread */
	word ret;		     /* rax of the fast paths */
	word path;		     /* enum trace_path: path of its system calls */
	struct trace trace;
	struct host_requests host; /* pending must be 0 before a return to user level */

	struct inbox inbox __attribute__((aligned(64)));

	u32 number;		/* number of this CPU in the system */
	u32 cpus;		/* number of CPUs of the system */
	bool idle;		/* no thread can run; the current one waits */
	u8 budget;		/* remaining deletion steps of the current kernel call */
	struct thread *caller;	/* caller of the current kernel call; cannot be destroyed */
	struct object *doomed;	/* objects without references, to be destroyed */
	struct cpu *const *all; /* [cpus] */

	u64 deadline; /* time stamp of the one-shot timer; LIMPET_NEVER: the timer is stopped */
	u64 early;    /* maximum time before it at which the host may wake an idle CPU, in ticks */
	u64 hold;     /* a deadline taken while idle, for which the next dispatch waits; 0: unset */
	u64 decided;  /* time stamp of that dispatch; the host reads it and sets it to 0 */
	u64 ticks_per_ms;
	struct endpoint *timer;	      /* gets LIMPET_EVENT_TIMER */
	struct component *timekeeper; /* caller of CPU_TIMER, only compared; NULL: unset */
	struct source source[INBOX_EVENTS];
	u32 turn; /* word of the inbox that is taken next */
	struct channel channel[CHANNELS_MAX];
	struct object object; /* object of the CPU capability */

	struct thread *threads[LIMPET_THREADS_MAX];
	struct component *components[LIMPET_COMPONENTS_MAX]; /* indexed as in the image */
	u32 threads_end;				     /* 1 + the highest id that was used */
	u32 notify_next, notify_left; /* of a stop: next thread, and number of threads */
	struct guest **guests;	      /* [LIMPET_GUESTS_MAX], by id; NULL: the host has no guests */
	struct executive executive[LIMPET_EXECUTIVES_MAX];
	struct list moved;   /* handler threads that guests_ready() makes ready */
	struct list updates; /* guests to which the host passes answers or requests; HOST_GUEST */
	struct frame_pool *pool;
	u64 spaces[24]; /* bitmap of address-space ids in use */

	u64 calls, events, faults, timers;
	u64 resumes, interrupted; /* counted by the entry code */
	u64 barriers;		  /* branch predictor barriers, counted by entry/barrier.S */

	const struct limpet_image_resource *resource; /* resources of the whole system */
	const struct limpet_image_component *record;  /* [records]: components of the image */
	u32 resources, records;
	u32 message_data; /* word that a device writes to `message` to interrupt this CPU */
	u64 message;	  /* physical address; 0: devices cannot interrupt this CPU by messages */
};

/* Kernel entry points, called by the entry code on the CPU's kernel stack, interrupts off. */

/*
 * Executes a kernel call. `op` is LIMPET_CALL_... or out of range. The thread's registers are
 * saved.
 */
void kernel_call(struct cpu *cpu, word op);
/* Handles an exception or a Linux system call of the current thread. Its registers are saved. */
void kernel_fault(struct cpu *cpu, word kind, word error, word address);
/* Called before the CPU switches to the host. The current thread's registers are saved. */
void kernel_pause(struct cpu *cpu);
/*
 * Called when the host returns the CPU to components. Takes the events that have arrived since
 * kernel_pause().
 */
void kernel_resume(struct cpu *cpu);

/*
 * Returns whether the current component may set the CPU's deadline and threads' urgencies. A
 * capability to a thread is not sufficient, because any component with frames can make threads.
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

long call_cpu_info(struct cpu *cpu, struct hal_regs *regs);
long call_cpu_timer(struct cpu *cpu, struct hal_regs *regs);
long call_cpu_print(struct cpu *cpu, struct hal_regs *regs);

#endif
