/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guests and executives, see <limpet/guest.h>. A guest is a thread of the host whose events an executive handles. An
 * executive is a component with handler threads. A handler thread is in one of these states:
 *
 *   state     guest   thread.state    what
 *   idle      NULL    WAITING         in the executive's list `idle`
 *   inside    set     WAITING         executes in the guest's own host thread. The CPU's current thread is another one
 *   moved     set     READY, WAITING  executes like any other thread. The guest's host thread waits
 *   orphaned  NULL    READY, WAITING  moved, and its guest did not wait for the answer
 *
 * All of this belongs to one CPU: the host uses it on this CPU only, with interrupts off, while it has the CPU.
 */
#ifndef KERNEL_GUEST_H
#define KERNEL_GUEST_H

#include <kernel/list.h>
#include <kernel/object.h>
#include <limpet/guest.h>

struct component;
struct cpu;
struct thread;

struct executive {
	struct component *component; /* NULL: it is gone, or the record is free */
	u32 name; /* 1 + index of the component in the image, for good; 0: the record is free */
	word entry, kinds; /* of GUEST_SERVE */
	struct list idle;  /* its handler threads that wait for an event */
	u32 queued;	   /* events for which the host waits for such a thread */
};

/*
 * The executives of a guest are its chain; most chains have one. `level` is an index in it, and `executive` that of the
 * event, or the first one between events. `stacked`: there are several, and the fields of the second half count. An
 * executive that has released a guest of which others go on gets END only.
 */
struct guest {
	struct hal_regs regs; /* the guest's, at its system call */
	struct hal_guest hal;
	struct cpu *cpu;
	struct cpu *
		direct; /* `cpu`; GUEST_STACKED: `executive` is not always the first that wants a call */
	struct executive *executive;
	struct thread *thread; /* handles its event; NULL: none does, or it was lost */
	word event;	       /* LIMPET_GUEST_EVENT() of the system calls of this guest */
	word operation, value; /* of the answer */
	bool answered;	       /* by a moved thread */
	bool wanted;	       /* a moved thread made a call that the host carries out: `request` */
	bool blamed;	       /* the executive has crashed in a handler thread of this guest */
	union {
		u32 unusual; /* 0: SERVE and PASS end a call without more */
		struct {
			bool changed; /* registers for the call differ from the guest's own */
			bool resulting; /* the event is RESULT, and `regs` are those of the call before */
			bool stacked;
		};
	};
	bool expected;	     /* the call's end is awaited; see entry_guest_expect() */
	u8 result_wanted;    /* a bit for each level that gets RESULT then */
	u8 replaced;	     /* a bit for each level that has made another call of its call */
	word result;	     /* of that call */
	struct hal_regs own; /* the guest's own registers, if `changed` */
	word request;	     /* the kernel call that the host is to carry out */
	struct list news;    /* in struct cpu's `news` */
	bool asleep;	     /* it sleeps in the host, outside an event */
	u32 heir;	     /* 1 + id of the guest whose wait ends then, or 0 */
	u64 break_time;	     /* of GUEST_BREAK; LIMPET_NEVER: none */
	u64 ran, since; /* ticks that the host's thread has run; when it came on the CPU, or 0 */
	u32 id;
	u32 process, number; /* Linux's ids of the process and of the thread */
	u64 calls, others, parked, moved;
	u64 committed; /* `calls` + `others` in the event whose answer counts: LIMPET_GUEST_COMMIT */

	u8 level, levels;
	u8 released;	    /* a bit for each level that has released it */
	bool start_changed; /* `changed` when the event began at this level; then `start` are `regs` */
	bool woken[LIMPET_GUEST_CHAIN_MAX]; /* GUEST_WAKE came from the executive of this level */
	u32 number_seen[LIMPET_GUEST_CHAIN_MAX]; /* number of the call, as the level saw it */
	struct executive *chain[LIMPET_GUEST_CHAIN_MAX];
	u64 wants[LIMPET_GUEST_CHAIN_MAX][LIMPET_GUEST_FILTER_WORDS]; /* filter of each level */
	struct hal_regs start;
};

#define GUEST_STACKED ((struct cpu *)-1l) /* no CPU */
#define GUEST_RESULTING 0x100u		  /* `unusual` is at least this: resulting, or stacked */

/* Results of guest_call() and of a call_ function of this file, besides those of other calls. */
#define GUEST_TASK 2 /* the host carries the call out, where it can sleep */
#define GUEST_MOVE 3 /* the thread makes the call again when it has moved */

/*
 * Returns the executive of the component with this index, or any one if it is LIMPET_GUEST_ANY, or NULL: the first one
 * behind `after`, or of all if that is NULL.
 */
struct executive *executive_find(struct cpu *cpu, u32 component, struct executive *after);
/* Returns whether the executive can take an event. The host may call this anywhere; the answer is a hint there. */
bool executive_ready(const struct executive *x);
/* The component is gone. */
void executive_forget(struct cpu *cpu, const struct component *c);

/* guest_take(), guest_give(): guest_event.h. */
/*
 * The guest's executives are this one and those that the image names behind it. Returns false if one of these does not
 * serve, or there are more than LIMPET_GUEST_CHAIN_MAX.
 */
bool guest_chain(struct guest *g, struct executive *x);
/* A new guest gets those executives of its maker that have not released it, with their filters. */
void guest_chain_copy(struct guest *g, const struct guest *maker);
int guest_level_stacked(const struct guest *g, const struct executive *x);
/* Returns the level of an executive in the guest's chain, or -1: it is not there, or has released the guest. */
static inline int guest_level_of(const struct guest *g, const struct executive *x)
{
	if (unlikely(g->stacked))
		return guest_level_stacked(g, x);
	return g->executive == x ? 0 : -1;
}
/* Returns the level of the executive that gets BREAK: the first one that wants it. -1: none does. */
static inline int guest_scheduler(const struct guest *g)
{
	for (int i = 0; i < g->levels; i++)
		if (g->chain[i]->kinds & LIMPET_GUEST_WANTS(LIMPET_GUEST_BREAK) &&
		    !(g->released >> i & 1))
			return i;
	return -1;
}
/* Whether all executives have released the guest. */
static inline bool guest_released(const struct guest *g)
{
	return g->released == (1u << g->levels) - 1;
}
/* The next event is for the executive of this level. */
static inline void guest_level_set(struct guest *g, unsigned int level)
{
	g->level = (u8)level;
	g->executive = g->chain[level];
}
/* The same for the first level that has not released the guest, and the next one. Returns false, with level 0, if there is none. */
bool guest_level_first(struct guest *g);
bool guest_level_next(struct guest *g);
/* The guest has made a call: sets the level of the first executive that wants it. Of a stacked guest, as all below. */
void guest_call_first(struct guest *g);
/*
 * The executive has answered PASS or PASS_RESULT (`operation`): notes whether it gets RESULT. Returns the level of the
 * next executive that wants the call, or 0: the host is next. Changes nothing else, so it may be called again.
 */
unsigned int guest_call_passed(struct guest *g);
/* The call goes to that level: its event CALL begins next. */
void guest_call_next(struct guest *g, unsigned int level);
/* The executive has answered SERVE: the call returns this. */
void guest_call_served(struct guest *g, word value);
/*
 * Sets the level of the innermost executive that still gets RESULT, and register rax to the number of the call as that
 * one saw it. Returns false, with level 0, if none does.
 */
bool guest_result_next(struct guest *g);
/* An event in which registers can be changed begins at this level: notes what guest_level_restore() goes back to. */
void guest_level_start(struct guest *g);
/* Undoes the changes that the executive of this level has made, because it did not come to its answer. */
void guest_level_restore(struct guest *g);
/* Whether the host has carried out another call than the one that the executive of this level got. */
static inline bool guest_replaced(const struct guest *g)
{
	return g->replaced >> g->level & 1;
}
/* Undoes all changes of the guest's registers, because its call is made again or is left to the host as it was. */
void guest_own_restore(struct guest *g);
/* The same after RESULT: register rax is the number of the guest's call again. */
void guest_call_restore(struct guest *g);
/* Undoes those of the number and the arguments of a call that the host has carried out. */
void guest_own_arguments(struct guest *g);
/* Starts the handler thread of the guest: its registers are those of the event. */
void guest_start(struct guest *g, word event, const word words[6]);
/* The handler thread, whose registers are saved, continues as an ordinary thread: guests_ready() makes it ready. */
void guest_move(struct guest *g);
/* The same, and the guest does not wait for the answer: g->thread is NULL then. */
void guest_orphan(struct guest *g);
/* The host has carried out the call of a moved thread. */
void guest_carried_out(struct guest *g, long status);
/* Makes moved threads ready. Called by kernel_resume(). */
void guests_ready(struct cpu *cpu);
/* The thread has died or is destroyed: its guest learns of it. */
void guest_lost(struct cpu *cpu, struct thread *t);
/* The thread was stopped while it was idle or inside: it is an ordinary thread again, and runs to its end. */
void guest_stopped(struct cpu *cpu, struct thread *t);

/*
 * A kernel call of the guest's handler thread, which is inside. Returns a status, CALL_DONE, GUEST_TASK or GUEST_MOVE.
 */
long guest_call(struct guest *g, word op);

long call_guest_serve(struct cpu *cpu, struct hal_regs *r);
long call_guest_answer(struct cpu *cpu, struct hal_regs *r);
long call_guest_registers(struct cpu *cpu, struct hal_regs *r);
long call_guest_wake(struct cpu *cpu, struct hal_regs *r);
long call_guest_info(struct cpu *cpu, struct hal_regs *r);
long call_guest_break(struct cpu *cpu, struct hal_regs *r);
/* GUEST_COPY, _WAIT, _FILTER, _MAP, _REVOKE of a moved thread. */
long call_guest_task(struct cpu *cpu, word op);

#endif
