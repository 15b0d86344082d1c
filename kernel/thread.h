/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads. A thread migrates between components: each invocation pushes a frame with its return
 * address. The kernel has no run queue. Schedulers dispatch threads, and an event switches to a
 * thread that has a higher urgency than the current one.
 */
#ifndef KERNEL_THREAD_H
#define KERNEL_THREAD_H

#include <kernel/component.h>
#include <limpet/job.h>

#define THREAD_FRAMES 2 /* frames of the booter's thread. Creators choose those of others */
#define THREAD_FAULTS 2 /* faults of a thread that may be handled within each other */

/* A frame of a thread: the place to which an invocation returns. */
struct invocation {
	word ip, sp;
	struct component *component;
	word epoch; /* the component's epoch at the invocation; with INVOCATION_FAULT for a fault */
};

#define INVOCATION_FAULT (1ul << 63)
#define INVOCATION_END (1ul << 62) /* in the frame below the first: the thread has no caller */

struct endpoint;
struct executive;
struct guest;

struct thread {
	struct object object;
	struct hal_regs regs;		 /* valid while it does not execute at user level */
	struct invocation *top;		 /* the frame to return to */
	struct invocation *frame, *last; /* first and last of the frames that fit into its memory */
	struct component *component;	 /* its component; that of the current thread: struct cpu */
	word epoch;			 /* epoch of that component when it entered */

	u32 id;
	u32 urgency;
	u8 state;		    /* enum limpet_thread_state */
	u8 faults;		    /* number of faults that are being handled */
	u16 home;		    /* index of the component it started in */
	struct endpoint *endpoint;  /* endpoint at which it receives its events */
	struct endpoint *receiving; /* it waits in, or has just left, a receive at this endpoint */
	struct endpoint *scheduler; /* gets notices of its states; NULL: it has no scheduler */
	struct list scheduled;	    /* links the threads of the same scheduler */

	u32 notice;	     /* enum limpet_notice for the scheduler; 0: unset */
	struct list noticed; /* links the threads with a notice for the same scheduler */

	/* Fields of a handler thread of an executive, see guest.h. */
	struct executive *executive; /* NULL: it is not a handler thread */
	struct guest *guest;
	word stack;	  /* stack pointer at the start of each event */
	struct list idle; /* links it into the executive's `idle`, or into struct cpu's `moved` */
	bool moved;

	u64 ticks, dispatches, since;
	u64 misses;		 /* missed deadlines, reported by its scheduler */
	struct limpet_jobs jobs; /* reported by its scheduler */
	u64 job_ticks;		 /* its run time at the end of its last job */
	struct fault fault[THREAD_FAULTS];
	struct hal_regs fault_regs[THREAD_FAULTS];
	struct hal_fpu *fpu; /* placed after this structure, followed by the frames */
};

/* Returns the bytes of a thread that can nest `depth` invocations. */
word thread_size(word depth);

/* Returns the number of nested invocations of a thread. */
static inline word thread_depth(const struct thread *thread)
{
	return (word)(thread->top - thread->frame);
}

/*
 * Makes a thread in `bytes` of memory. The rest of the memory is for nested invocations. Returns
 * NULL if fewer than LIMPET_DEPTH_MIN of them fit.
 */
struct object *thread_create(void *memory, word bytes);
/* Destroys a thread. Returns OBJECT_BUSY if it is the current thread or the caller. */
enum destroyed thread_destroy(struct cpu *cpu, struct thread *thread);

/*
 * Marks the component in which the thread started as a scheduler, if the thread is a scheduler's.
 */
void thread_schedules(struct cpu *cpu, const struct thread *thread);

/* Starts a thread in a component; its words and results are cleared, its state is READY. */
void thread_begin(struct thread *thread, struct component *comp, word entry, word arg);
/* Makes `to`, which is READY, the current thread. */
void thread_switch(struct cpu *cpu, struct thread *to);
/*
 * Makes the current thread leave its component. It returns to its caller, which gets `status`.
 * Frames of components that were stopped since the invocation are skipped. If it has no more
 * callers, the thread is dead, and the CPU switches to its scheduler's thread. May change the
 * current thread.
 */
void thread_leave(struct cpu *cpu, long status);
/*
 * Makes current threads leave components that were stopped. Called at the end of each slow entry.
 */
void thread_settle(struct cpu *cpu);
/* Ends a thread's wait, so that it can check its component's state. */
void thread_interrupt(struct cpu *cpu, struct thread *thread);
/*
 * Notifies the next threads of the CPU, at most 64, and Linux's side of their channels, of
 * components that were stopped. If threads remain, kernel_resume() continues after the host had a
 * turn.
 */
void threads_notify(struct cpu *cpu);

/*
 * Returns the thread that a slot names, with MANAGE. Returns NULL and sets *error on failure.
 */
struct thread *thread_get(struct cpu *cpu, word slot, long *error);

long call_thread_start(struct cpu *cpu, struct hal_regs *regs);
long call_thread_dispatch(struct cpu *cpu, struct hal_regs *regs);
long call_thread_urgency(struct cpu *cpu, struct hal_regs *regs);
long call_thread_info(struct cpu *cpu, struct hal_regs *regs);
long call_thread_missed(struct cpu *cpu, struct hal_regs *regs);
long call_thread_job(struct cpu *cpu, struct hal_regs *regs);

#endif
