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
 * These data belong to one CPU. The host accesses them only on this CPU, with interrupts off, while
 * it has the CPU.
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
	struct component *component; /* NULL: it was destroyed, or the record is free */
	u32 name; /* 1 + the component's index in the image, constant; 0: the record is free */
	word entry, kinds; /* arguments of GUEST_SERVE */
	struct list idle;  /* its handler threads that wait for an event */
	u32 queued;	   /* number of guests in `waiting`, `ended` and `ending` */
	u32 orphans;	   /* number of its handler threads that are orphaned */
	/*
	 * Lists of the host's records. `waiting`: the guest waits for an idle handler thread. `ended`: the guest's
	 * thread has ended, and its event END waits for a handler thread. `ending`: a handler thread handles that END.
	 */
	struct list waiting, ended, ending;
};

static inline void executive_init(struct executive *executive)
{
	list_init(&executive->idle);
	list_init(&executive->waiting);
	list_init(&executive->ended);
	list_init(&executive->ending);
}

/*
 * The executives of a guest are its chain. Most chains have one executive. `level` is an index in
 * the chain, and `executive` is that of the event, or the first one between events. `stacked` is
 * set if there are several executives, and then the fields from `level` on are valid. If an executive has released a
 * guest and others have not, it gets only END.
 */
struct guest {
	struct hal_regs regs; /* the guest's registers at its system call */
	struct hal_guest hal;
	struct cpu *cpu;
	/* `cpu`, or GUEST_STACKED if `executive` is not always the first that wants a call */
	struct cpu *direct;
	struct executive *executive;
	struct thread *thread; /* handles its event; NULL: unset, or the thread was lost */
	word event;	       /* LIMPET_GUEST_EVENT() of the system calls of this guest */
	word operation, value; /* the answer */
	bool answered;	       /* a moved thread has answered the last event that moved */
	bool wanted;	       /* a moved thread made a call that the host carries out: `request` */
	bool blamed;	       /* the executive has crashed in a handler thread of this guest */
	union {
		u32 unusual; /* 0: SERVE and PASS end a call without further work */
		struct {
			bool changed;	/* registers for the call differ from the guest's own */
			bool resulting; /* the event is RESULT, and `regs` are those of its call */
			bool stacked;
		};
	};
	bool expected;	     /* the call's end is awaited; see entry_guest_expect() */
	u8 result_wanted;    /* bit for each level that then gets RESULT */
	u8 replaced;	     /* bit for each level that has replaced its call with another one */
	word result;	     /* result of the call */
	struct hal_regs own; /* the guest's own registers, if `changed` */
	word request;	     /* the kernel call that the host must carry out */
	struct list update;  /* links it into struct cpu's `updates` */
	bool asleep;	     /* it sleeps in the host, outside an event */
	u32 heir;	     /* 1 + id of the guest whose wait ends when this one sleeps, or 0 */
	u64 break_time;	     /* time of GUEST_BREAK; LIMPET_NEVER: unset */
	u64 ran, since; /* ticks that the host's thread has run; start of its current run, or 0 */
	u32 id;
	u32 process, number; /* Linux's ids of the process and of the thread */
	u64 calls, others, parked, moved;
	u64 committed; /* `calls` + `others` in the event whose answer counts: LIMPET_GUEST_COMMIT */

	u8 level, levels;
	u8 released;	    /* bit for each level that has released it */
	bool start_changed; /* `changed` when this level's event started; `regs`: in `start` */
	bool woken[LIMPET_GUEST_CHAIN_MAX]; /* the executive of this level has called GUEST_WAKE */
	u32 number_seen[LIMPET_GUEST_CHAIN_MAX]; /* number of the call that this level got */
	struct executive *chain[LIMPET_GUEST_CHAIN_MAX];
	u64 wants[LIMPET_GUEST_CHAIN_MAX][LIMPET_GUEST_FILTER_WORDS]; /* filter of each level */
	struct hal_regs start;
};

#define GUEST_STACKED ((struct cpu *)-1l) /* never equal to a CPU */
#define GUEST_RESULTING 0x100u		  /* `unusual` is at least this: resulting, or stacked */

/*
 * Results of guest_call() and of the call_ functions of this file, in addition to those of other
 * calls.
 */
#define GUEST_TASK 2 /* the host carries the call out, where it can sleep */
#define GUEST_MOVE 3 /* the thread makes the call again when it has moved */

/*
 * Returns the first executive of the component with this index, or any executive if it is LIMPET_GUEST_ANY. The search
 * starts after `after`, or with the first executive if `after` is NULL. Returns NULL if none is found.
 */
struct executive *executive_find(struct cpu *cpu, u32 component, struct executive *after);
/* Removes the executive of a component that is destroyed. */
void executive_forget(struct cpu *cpu, const struct component *comp);

/* guest_take(), guest_give(): guest_event.h. */
/*
 * Sets the guest's chain: this executive, and those that the image names after it. Returns false if
 * one of them does not serve, or if there are more than LIMPET_GUEST_CHAIN_MAX.
 */
bool guest_chain(struct guest *guest, struct executive *executive);
/* Gives a new guest the executives of its maker that have not released it, with their filters. */
void guest_chain_copy(struct guest *guest, const struct guest *maker);
int guest_level_stacked(const struct guest *guest, const struct executive *executive);
/*
 * Returns the level of an executive in the guest's chain, or -1 if it is not there, or has released
 * the guest.
 */
static inline int guest_level_of(const struct guest *guest, const struct executive *executive)
{
	if (unlikely(guest->stacked))
		return guest_level_stacked(guest, executive);
	return guest->executive == executive ? 0 : -1;
}
/* Returns the level of the executive that gets BREAK, the first one that wants it, or -1. */
static inline int guest_scheduler(const struct guest *guest)
{
	for (int i = 0; i < guest->levels; i++)
		if (guest->chain[i]->kinds & LIMPET_GUEST_WANTS(LIMPET_GUEST_BREAK) &&
		    !(guest->released >> i & 1))
			return i;
	return -1;
}
/* Returns whether all executives have released the guest. */
static inline bool guest_released(const struct guest *guest)
{
	return guest->released == (1u << guest->levels) - 1;
}
/* Sets the level whose executive gets the next event. */
static inline void guest_level_set(struct guest *guest, unsigned int level)
{
	guest->level = (u8)level;
	guest->executive = guest->chain[level];
}
/*
 * Set the first, or the next, level that has not released the guest. Return false, with level 0, if all these levels
 * have released it.
 */
bool guest_level_first(struct guest *guest);
bool guest_level_next(struct guest *guest);
/*
 * Sets the level of the first executive that wants the guest's call. This and the next functions
 * are for stacked guests.
 */
void guest_call_first(struct guest *guest);
/*
 * Records whether the executive, which has answered PASS or PASS_RESULT (`operation`), gets RESULT.
 * Returns the level of the next executive that wants the call, or 0 if the host is next. Has no
 * other effect, so it can be called again.
 */
unsigned int guest_call_passed(struct guest *guest);
/* Passes the call to this level, whose event CALL starts next. */
void guest_call_next(struct guest *guest, unsigned int level);
/* Sets the result of the call, because the executive has answered SERVE. */
void guest_call_served(struct guest *guest, word value);
/*
 * Sets the level of the innermost executive that still gets RESULT, and register rax to the number
 * of the call that this executive got. Returns false, with level 0, if no executive still gets it.
 */
bool guest_result_next(struct guest *guest);
/*
 * Saves the state for guest_level_restore(), before an event in which this level can change
 * registers.
 */
void guest_level_start(struct guest *guest);
/* Undoes the changes that the executive of this level has made, because it has not answered. */
void guest_level_restore(struct guest *guest);
/*
 * Returns whether the host has carried out another call than the one that the executive of this
 * level got.
 */
static inline bool guest_replaced(const struct guest *guest)
{
	return guest->replaced >> guest->level & 1;
}
/*
 * Undoes all changes of the guest's registers, because its call is made again, or goes to the host
 * unchanged.
 */
void guest_own_restore(struct guest *guest);
/* Does the same after RESULT. Register rax becomes the number of the guest's call again. */
void guest_call_restore(struct guest *guest);
/* Undoes changes of the number and the arguments of a call that the host has carried out. */
void guest_own_arguments(struct guest *guest);
/* Starts the handler thread of the guest with the registers of the event. */
void guest_start(struct guest *guest, word event, const word words[6]);
/*
 * Makes the handler thread, whose registers are saved, an ordinary thread, which guests_ready()
 * makes ready.
 */
void guest_move(struct guest *guest);
/* Does the same, but the guest does not wait for the answer. Sets guest->thread to NULL. The thread is then orphaned. */
void guest_orphan(struct guest *guest);
/* Completes the call of a moved thread, which the host has carried out. */
void guest_carried_out(struct guest *guest, long status);
/* Makes moved threads ready. Called by kernel_resume(). */
void guests_ready(struct cpu *cpu);
/* Reports to the guest that its handler thread has died or is destroyed. */
void guest_lost(struct cpu *cpu, struct thread *thread);
/*
 * Makes a thread that was stopped while it was idle or inside an ordinary thread again, which runs
 * to its end.
 */
void guest_stopped(struct cpu *cpu, struct thread *thread);

/*
 * Executes a kernel call of the guest's handler thread, which is inside. Returns a status,
 * CALL_DONE, GUEST_TASK or GUEST_MOVE.
 */
long guest_call(struct guest *guest, word op);

long call_guest_serve(struct cpu *cpu, struct hal_regs *regs);
long call_guest_answer(struct cpu *cpu, struct hal_regs *regs);
long call_guest_registers(struct cpu *cpu, struct hal_regs *regs);
long call_guest_wake(struct cpu *cpu, struct hal_regs *regs);
long call_guest_info(struct cpu *cpu, struct hal_regs *regs);
long call_guest_break(struct cpu *cpu, struct hal_regs *regs);
/* Each executes the call of a moved thread: GUEST_COPY, _WAIT, _FILTER, _MAP or _REVOKE. */
long call_guest_task(struct cpu *cpu, word op);

#endif
