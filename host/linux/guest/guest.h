/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Linux threads that are guests, see <limpet/guest.h> and <kernel/guest.h>. In beside mode only.
 *
 * A guest's record belongs to its thread. Other threads use it under guests_lock, or on the CPU of its executive with
 * interrupts disabled. It has a reference for the guest's life, which ends with the event END, and one for each queued
 * callback of Linux. Nothing that runs with interrupts disabled depends on the number of guests: a walk over the list
 * takes guests_lock for one guest after another.
 */
#ifndef HOST_LINUX_GUEST_H
#define HOST_LINUX_GUEST_H

#include <linux/context_tracking.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>

#include <host/linux/compat.h>

#include <entry/guest.h>
#include <asm/cpufeature.h>
#include <host/linux/parts.h>
#include <kernel/guest.h>

#define SYSCALL_SIZE 2 /* bytes of the SYSCALL instruction */

/* Duties of a callback of Linux on the thread's way to user level. */
enum guest_duty {
	DUTY_BEGIN = 1 << 0,	 /* become a guest */
	DUTY_EXEC = 1 << 1,	 /* report another program */
	DUTY_RELEASE = 1 << 2,	 /* stop being a guest */
	DUTY_BREAK = 1 << 3,	 /* report BREAK */
	DUTY_SPARE = 1 << 4,	 /* get memory for the record of the next child */
	DUTY_SIGNAL = 1 << 5,	 /* report signals that were delivered */
	DUTY_EXCEPTION = 1 << 6, /* ask the executive before an exception's signal is delivered */
};

/* A signal, as Linux's siginfo has it. */
struct guest_signal {
	u8 number, fate; /* enum limpet_guest_fate */
	u32 missed;	 /* signals before it that were not kept */
	word code;	 /* si_code, and si_errno in the upper half */
	word fields[4];
};

/* The kernel call that a handler thread made, copied because the thread may be lost meanwhile. */
struct guest_request {
	word call, argument[5];
};

/*
 * The last event in which the executive crashed in a handler thread of the guest, and the number of crashes in a row.
 */
struct guest_crash {
	word event; /* with the level in the upper 16 bits */
	word first; /* the event's first word */
	word ip;    /* of the guest's instruction */
	word count;
};

struct host_guest {
	struct guest core; /* the kernel's part; first, because the entry code has a pointer to it */
	struct system *system;
	struct guest_user *user; /* for whom it counts */
	struct kref refs;
	u32 cpu;	   /* of the system */
	unsigned int home; /* Linux's number of the CPU of the executive */
	u32 flags;	   /* LIMPET_GUEST_ALONE, _OPEN */
	u32 origin, parent;
	u64 filter[LIMPET_GUEST_FILTER_WORDS]; /* of all its executives */
	struct host_guest *spare; /* memory for the record of its next child; belongs to the thread */
	struct task_struct *task; /* with a reference; NULL: it is not a guest yet, or not any more */
	struct task_struct *target; /* the same before it is a guest */
	struct list_head list;	    /* in `guests` */
	union {
		struct list queue;   /* in a list of the executive of its event */
		struct rcu_head rcu; /* once no reference is left */
	};
	struct preempt_notifier notifier;
	struct callback_head duty_work, follow_work, end_work;
	atomic_t duties; /* bits of enum guest_duty */
	u32 later;	 /* those that thread_in() adds, because they could not be done yet */
	struct hrtimer break_timer;
	u64 break_timer_time;	    /* time stamp of its expiry */
	struct irq_work sleep_work; /* it sleeps: wakes its heir */
	bool slept;		    /* since the last BREAK */
	bool cancelled;		    /* it was released before it became a guest */
	bool member;		    /* its thread has the notifier */
	bool armed;		    /* the notifier hooks the entry points */
	bool entering;		    /* by ENTER, and it has not executed its program yet */
	bool talking;		    /* it uses the system's memory: guest_talk_begin() */
	bool faulting;	   /* the event is FAULT: Linux's lock of the process's memory is held */
	bool mapping;	   /* guest_map() makes a range */
	bool following;	   /* follow_work is queued */
	bool follow_later; /* Linux has called it too early */
	u8 early; /* bit n: a tracer can stop the call's start n + 1 more times; Linux calls it there */
	bool end_moved;	 /* a thread of the system handles END */
	bool ending;	 /* the event is END: nothing is left to copy from or to wait for */
	bool callback;	 /* it handles the end of the current call, if that is not `expected` */
	u8 signal_level; /* from which SIGNAL is reported; 0, or no handler thread was free there */
	/* Signals that were delivered and not reported; the first one's place. */
	u32 signals, signal_first;
	u32 missed; /* since the last one of them */
	int status; /* exit status, once it has ended */
	struct guest_signal signal[LIMPET_GUEST_SIGNALS];
	struct guest_signal exception; /* of DUTY_EXCEPTION */
	struct guest_signal last;      /* whose default action ends the process */
	u32 state;		       /* enum limpet_guest_state, for people */
	u32 kind;		       /* enum limpet_guest_event, of its event */
	/* jiffies until which signals wait for the answer; 0: no signal came */
	unsigned long patience;
	struct guest_crash crash;
	struct guest_request request;
	/*
	 * A cpumask: the CPUs that it gets back when it stops being a guest; empty: not known yet.
	 * It has only the bits that this machine needs. A record takes 2 KiB with up to 128 CPUs; with a
	 * whole cpumask_t it would take 4 KiB, and Linux clears all of them for each child.
	 */
	unsigned long allowed[];
};

static inline struct host_guest *host_guest_of(struct guest *inner)
{
	return container_of(inner, struct host_guest, core);
}

/* Returns the first guest in a list of an executive, or NULL. On its CPU with interrupts disabled. */
static inline struct host_guest *guest_queued(const struct list *list)
{
	struct list *first = list_first(list);

	return first ? list_object(first, struct host_guest, queue) : NULL;
}

/* --- record.c: records and the list of guests. */

/* Protects the list, the table, and flags and filters that other threads change. */
extern raw_spinlock_t guests_lock;
/* Threads that are guests, or are to become guests. RCU readers see new ones, because these are added at the end. */
extern struct list_head guests;
extern struct guest *guest_table[LIMPET_GUESTS_MAX]; /* by id, of all systems that have not ended */

/*
 * Adds the record of a thread that is to become a guest. If it has a parent that is a guest, it gets the parent's
 * executives and filters. Any context, as for _remove().
 */
void guest_list_add(struct host_guest *guest, struct task_struct *task,
		    const struct host_guest *parent);
void guest_list_remove(struct host_guest *guest);
typedef bool guest_visit(struct host_guest *guest, const void *with);
/*
 * Calls a function under guests_lock for each guest of a process, and for its threads that are to become guests. It finds
 * threads that are made meanwhile, except those whose parents it had visited before. Those have the parents' filters.
 * Returns whether the function has returned true for a guest. Process context.
 */
bool guests_of(struct task_struct *process, guest_visit *visit, const void *with);

/* Returns the record of a user, for whom guests count, or NULL if memory is short. Called with system_lock. */
struct guest_user *guest_user_find(kuid_t uid);
/* Frees records of users without guests. Called with system_lock, or when no guests are left. */
void guest_users_free(void);

/*
 * Ends the GUEST_WAIT of the guest with this id, or the next one, in an event of that executive. Returns false if the
 * system of `guest` has no such guest of that executive.
 */
bool guest_wake(const struct host_guest *guest, const struct executive *executive, word id);
/* Makes the filter from those of the guest's executives. Under guests_lock, or before the record is in a list. */
void guest_filter_join(struct host_guest *guest);

/* Returns memory for a record, to be freed by kfree_rcu(), or NULL. Sleeps. */
struct host_guest *guest_memory(void);
/*
 * Makes a record with one reference of that memory, without executives. Any context. Returns 0, or -EMFILE: there are
 * LIMPET_GUESTS_MAX guests; -EDQUOT: the user has LIMPET_GUESTS_OF_USER, and is not root; -ENOMEM: `user` is NULL.
 */
int guest_init(struct host_guest *guest, struct system *system, struct cpu *cpu,
	       struct guest_user *user);
/* Any context, as on PREEMPT_RT neither memory nor locks that sleep can be used in Linux's tracepoints. */
void guest_put(struct host_guest *guest);

/* --- life.c: starts and ends guests. */

/* Returns the guest that the current thread is, or NULL. */
struct host_guest *guest_current(void);
/* Removes the record of a thread that does not become a guest, and drops its first reference. Any context. */
void guest_drop(struct host_guest *guest);
/*
 * The current thread, whose record is in the list, becomes a guest. Returns 0, or -EXDEV: it cannot be on the
 * executive's CPU; -ENODEV: the system is ending; -ECANCELED: it was released before; -ESRCH: it exits; -EBUSY: the
 * process has guests of another system; an error of Linux's tracepoints. Sleeps.
 */
int guest_join(struct host_guest *guest);
/* Makes the current thread stop being a guest. */
void guest_leave(struct host_guest *guest);
/* Lets KVM load the MSRs again if the current thread, a guest, is in KVM_RUN. Sleeps for a tick there. */
void guest_kvm_restart(struct host_guest *guest);
/* Stops waiting for the end of the current guest's call. */
void guest_expect_end(struct host_guest *guest);
/* Loads the filter of the guest that is on this CPU, if there is one. Any context. */
void guest_filter_load(void *unused);
/* Reports BEGIN or EXEC to each executive. */
void guest_report_life(struct host_guest *guest, enum limpet_guest_event kind);
/*
 * Releases the current guest from the executive. If others have not released it, it continues with
 * them.
 */
void guest_release(struct host_guest *guest);
/* Carries out the answer of the executive to an event other than a call of the guest. */
void guest_life_answered(struct host_guest *guest);
/* Makes a thread do duties on its way to user level. Any context. Returns 0, or -ESRCH: it exits. */
int guest_duty_add(struct host_guest *guest, struct task_struct *task, u32 duties);
/* Callback of guest_duty_add(). */
void guest_duty_run(struct callback_head *work);

/* --- follow.c: the end of a system call that Linux has carried out. Callback for it. */
void guest_follow_run(struct callback_head *work);
void guest_follow_again(struct host_guest *guest);
/*
 * The current guest leaves: if it is on the way from a call whose end is to be seen, that is seen now. Returns false if
 * Linux still carries the call out, so that the guest must leave later.
 */
bool guest_follow_finish(struct host_guest *guest);
/*
 * Gives a child of a guest the registers that the guest would have without a change by its
 * executive.
 */
void guest_own_child(const struct host_guest *parent, struct task_struct *child);

/* --- talk.c: an event, from its start to its answer. */

enum guest_outcome {
	OUTCOME_ANSWERED, /* guest.operation, guest.value */
	OUTCOME_AGAIN,	  /* a signal came, and the executive did not answer in time */
	OUTCOME_UNASKED,  /* a signal came, and no handler thread was free in time */
	OUTCOME_LOST,	  /* the handler thread died */
	OUTCOME_OPEN,	  /* no executive takes the event, and the guest continues without */
	OUTCOME_DYING,	  /* the guest gets SIGKILL */
};

/*
 * Handles an event in the guest's own thread, if the executive wants events of that kind; else OUTCOME_OPEN. Process
 * context, interrupts enabled.
 */
enum guest_outcome guest_talk(struct host_guest *guest, enum limpet_guest_event kind,
			      const word words[6]);
/* Runs after entry_guest_idle(): wakes what waits for a handler thread. */
void guest_idle_wake(struct irq_work *work);
/*
 * Reads into guest->regs the registers with which the current thread, the guest, returns to user level; sets them, but for
 * the flags; and sets them as at the end of a call.
 */
void guest_registers_read(struct guest *guest);
void guest_registers_put(const struct guest *guest);
void guest_registers_write(const struct guest *guest);
/*
 * From _begin() to _end() guests_end() waits for this guest. Returns false if the system is ending, so that the guest
 * must not use its memory. Any context.
 */
bool guest_talk_begin(struct host_guest *guest);
void guest_talk_end(struct host_guest *guest);
/*
 * Enclose an operation that can wait for the memory of the guest's process. The wait has no limit, because the guest's
 * user can provide the pages. So guests_end() does not wait for this guest meanwhile, and can free the system's memory.
 * _end() then sets guest->core.thread to NULL. Sleeps and faults of the operation are not events.
 */
void guest_block_begin(struct host_guest *guest);
void guest_block_end(struct host_guest *guest);
/*
 * Moves the current thread to its executive's CPU. Returns 0, or -EINVAL: it must not be there. guest_release_home() gives
 * it back the CPUs that it had.
 */
int guest_move_home(struct host_guest *guest);
void guest_release_home(struct host_guest *guest);
/*
 * Repeats guest_move_home() until the thread is on the executive's CPU, and disables interrupts there. If
 * guest_talk_begin() has returned false, the CPU can be offline, and this does not return.
 */
void guest_go_home(const struct host_guest *guest);

/* Copies the request of the handler thread. Interrupts are disabled, so the thread still exists. */
void guest_request_copy(struct host_guest *guest);
/*
 * Returns whether a signal waits for longer than an event may take; `held`: than GUEST_WAIT holds one back. Of the
 * current thread.
 */
bool guest_patience_over(struct host_guest *guest, bool held);

/*
 * Runs the handler thread for a while: see entry_guest_run(). KVM for Intel can have replaced the entry point of its
 * kernel calls, which is then loaded again. KVM for AMD stores the hooked guest's entry points, and loads them after
 * each exit of the virtual CPU.
 */
static inline enum entry_stop guest_run(struct host_guest *guest)
{
	if (cpu_feature_enabled(X86_FEATURE_VMX))
		hook_arm_executive();
	return entry_guest_run(&guest->core);
}

/* Carries out the request of the handler thread, and gives it the status if it is still there. Interrupts enabled. */
void guest_request_serve(struct host_guest *guest);

/* Ends the current process by a signal; by SIGKILL if that signal does not end processes. Process context. */
void guest_kill(word signal);

/* --- request.c: the calls of a handler thread for which Linux is needed. Returns the status. */
long guest_carry_out(struct host_guest *guest, const struct guest_request *request);

/* --- turn.c: for executives that schedule their guests. */
void guest_turn_init(struct host_guest *guest);
/* Stops BREAK for a guest that leaves. Sleeps. */
void guest_turn_exit(struct host_guest *guest);
/*
 * Called when the thread of the guest comes to the CPU, and when it leaves it. In Linux's
 * scheduler.
 */
void guest_turn_in(struct host_guest *guest);
void guest_turn_out(struct host_guest *guest);
/* Makes BREAK come at guest.break_time. In the guest's own thread. */
void guest_break_arm(struct host_guest *guest);
/* Reports BREAK in the guest's own thread. */
void guest_break(struct host_guest *guest);

/* --- signal.c: signals and exceptions. */
/*
 * Starts to watch signals if the guest's executive wants that. Returns 0 or a negative errno. Sleeps, as does _unwatch():
 * after that no probe uses memory of a system.
 */
int guest_signals_watch(struct host_guest *guest);
void guest_signals_unwatch(struct system *system);
/* Reports signals that Linux has delivered to the guest's own thread. */
void guest_signals(struct host_guest *guest);
/* Asks the executive about an exception of the guest's own thread, whose signal waits. */
void guest_exception(struct host_guest *guest);

/* --- map.c: ranges whose pages the executive supplies. */
long guest_map(struct host_guest *guest, word address, word bytes, word writable);
long guest_revoke(struct host_guest *guest, word address, word bytes);
/* Removes the pages of the system from all guests. */
void guest_maps_end(struct system *system);

/* --- end.c: the last event. */
/*
 * Releases the current thread: its event END, after which it is not a guest any more. Process
 * context.
 */
void guest_end(struct host_guest *guest);
/* The callback that does the same for a thread that exits. */
void guest_end_run(struct callback_head *work);
/* Starts last events that wait for a handler thread. Called by the CPU's host thread. */
void guest_ends_flush(struct executive *executive);
/*
 * Does one step of the last event of a guest without its thread, on its CPU with interrupts disabled. Adds the guest to a
 * list of its executive if the event is not over. Otherwise drops a reference.
 */
void guest_end_continue(struct host_guest *guest);
/* Ends the last events of the system. */
void guest_ends_drop(struct system *system);

/* --- device.c: /dev/limpet/guest. */
extern struct miscdevice guest_device;

#endif
