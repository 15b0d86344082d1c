/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Threads. A thread migrates: each invocation pushes a frame that says where it came from. The
 * kernel has no run queue: schedulers dispatch threads, and an event switches to a thread that is
 * more urgent than the current one.
 */
#ifndef KERNEL_THREAD_H
#define KERNEL_THREAD_H

#include <kernel/component.h>
#include <limpet/job.h>

#define THREAD_FRAMES 2 /* of the booter's; others' are what their creator gave */
#define THREAD_FAULTS 2 /* faults of a thread that may be handled within each other */

/* Where a thread returns to. */
struct invocation {
	word ip, sp;
	struct component *component;
	word epoch; /* of the component then; INVOCATION_FAULT set: a fault, not a call */
};

#define INVOCATION_FAULT (1ul << 63)
#define INVOCATION_END (1ul << 62) /* the frame below the first: nothing to return to */

struct endpoint;
struct executive;
struct guest;

struct thread {
	struct object object;
	struct hal_regs regs;		 /* while it does not execute at user level */
	struct invocation *top;		 /* the frame to return to */
	struct invocation *frame, *last; /* all of them: what there is room for in its memory */
	struct component *component; /* where it executes; the current thread's is in struct cpu */
	word epoch;		     /* of that component when it entered */

	u32 id;
	u32 urgency;
	u8 state;		    /* enum limpet_thread_state */
	u8 faults;		    /* being handled */
	u16 home;		    /* index of the component it started in */
	struct endpoint *endpoint;  /* its events come here */
	struct endpoint *receiving; /* it waits in, or just left, a receive there */
	struct endpoint *scheduler; /* who hears of its states; NULL: nobody */
	struct list scheduled;	    /* with others of the same scheduler */

	u32 notice;	     /* enum limpet_notice to tell the scheduler; 0: none */
	struct list noticed; /* with others that have a notice for it */

	/* Of a handler thread of an executive, see guest.h. */
	struct executive *executive; /* NULL: it is none */
	struct guest *guest;
	word stack;	  /* where each event starts */
	struct list idle; /* in the executive's `idle`, or in struct cpu's `moved` */
	bool moved;

	u64 ticks, dispatches, since;
	u64 misses;		 /* deadlines, as its scheduler says */
	struct limpet_jobs jobs; /* as its scheduler says */
	u64 job_ticks;		 /* its run time at the end of its last job */
	struct fault fault[THREAD_FAULTS];
	struct hal_regs fault_regs[THREAD_FAULTS];
	struct hal_fpu *fpu; /* behind this, and then the frames */
};

/* Bytes of a thread with room for so many nested invocations. */
word thread_size(word depth);

/* How many invocations it is in. */
static inline word thread_depth(const struct thread *t)
{
	return (word)(t->top - t->frame);
}

/*
 * Makes a thread in `bytes` of memory. The memory that is left is for nested invocations. Returns NULL if there is room
 * for fewer than LIMPET_DEPTH_MIN of them.
 */
struct object *thread_create(void *memory, word bytes);
/* OBJECT_BUSY: it is the current thread, or the caller. */
enum destroyed thread_destroy(struct cpu *cpu, struct thread *t);

/* If the thread is a scheduler's: the component that it began in is known for it. */
void thread_schedules(struct cpu *cpu, const struct thread *t);

/* Starts a thread in a component; its words and results are cleared, its state is READY. */
void thread_begin(struct thread *t, struct component *c, word entry, word arg);
/* Makes `to`, which is READY, the current thread. */
void thread_switch(struct cpu *cpu, struct thread *to);
/*
 * The current thread leaves the component it is in: back to its caller, which gets `status`. Frames
 * of components that were stopped since are passed over. Without a caller left the thread is dead
 * and its scheduler's thread goes on. The current thread is set accordingly.
 */
void thread_leave(struct cpu *cpu, long status);
/* At the end of each slow entry: while the component that the current thread is in was stopped. */
void thread_settle(struct cpu *cpu);
/* Ends a thread's wait, for it to find out what has become of it. */
void thread_interrupt(struct cpu *cpu, struct thread *t);
/*
 * Tells the next threads of the CPU, at most 64, of components that were stopped, and Linux's side of their channels.
 * If there are more, kernel_resume() goes on, after the host had a turn.
 */
void threads_tell(struct cpu *cpu);

/* The thread that a slot names, with MANAGE; NULL, with *error: there is none. */
struct thread *thread_get(struct cpu *cpu, word slot, long *error);

long call_thread_start(struct cpu *cpu, struct hal_regs *r);
long call_thread_dispatch(struct cpu *cpu, struct hal_regs *r);
long call_thread_urgency(struct cpu *cpu, struct hal_regs *r);
long call_thread_info(struct cpu *cpu, struct hal_regs *r);
long call_thread_missed(struct cpu *cpu, struct hal_regs *r);
long call_thread_job(struct cpu *cpu, struct hal_regs *r);

#endif
