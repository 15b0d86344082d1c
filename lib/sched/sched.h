/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of a scheduler. A scheduler consists of the sources of this folder and its own policy.h, which orders the
 * threads: docs/guide/scheduling.md.
 *
 * Threads enter the scheduler by invocation. To wait, a thread dispatches the next one, so it is suspended in its own
 * dispatch. Only the scheduler's own thread preempts other threads. The kernel switches to it when the timer is due,
 * when an event makes a thread ready, and when a thread waits in the kernel or dies.
 *
 * A thread holds `data_lock` while it changes the data here. If the scheduler's thread finds the lock taken, the thread
 * that it has preempted is the holder. It then sets `contended`, dispatches the holder, and gets the CPU back when the
 * holder has released the lock. So only the scheduler's thread can find the lock taken.
 *
 * A thread that dispatches another one does not release the lock. The other one does, when it has the CPU. So nothing
 * changes between the decision and the dispatch. Only a thread that is suspended in its own dispatch here
 * (`in_dispatch`) releases the lock. If the next thread was preempted elsewhere, or the CPU becomes idle, the lock is
 * released first, and the scheduler's thread is dispatched, which decides again.
 *
 * A part is the set of threads that a nested scheduler schedules. This scheduler treats a part as one thread, that of
 * the nested scheduler, which is the proxy of the part's threads. A nested scheduler can preempt a thread of the part
 * that holds the lock here, and dispatch another thread of the part, which enters, too. So a thread of a part sets
 * `data_lock` to its id by an atomic operation. If another id is stored there, it dispatches that thread until the lock
 * is free. A thread of a part that switches to a thread X sets `data_lock` to X's id, and X releases it. When the first
 * thread continues, it does not change `data_lock`, because another thread of the part can have set it meanwhile.
 */
#ifndef SCHED_SCHED_H
#define SCHED_SCHED_H

#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/time.h>

#include <sched/ids.h>
#include <sched/timers.h>

#define NONE 0
#define PERIOD_MIN 1000ul      /* ticks: less than a wake-up costs */
#define PERIOD_MAX (1ul << 40) /* ticks: minutes */

#define barrier() asm volatile("" : : : "memory")

enum thread_state {
	STATE_NONE = 0,	 /* not a thread that is scheduled here */
	STATE_READY,	 /* it can run; in the policy's queue unless it is held */
	STATE_BLOCKED,	 /* until another thread wakes it, or a time */
	STATE_SUSPENDED, /* the same with wake-ups of its own, for locks */
	STATE_SLEEPING,	 /* until a time */
	STATE_WAITING,	 /* for an event, in the kernel */
	STATE_JOINING,	 /* until another thread ends, or a time */
	STATE_SPARE,	 /* until another thread creates it */
	STATE_EXITED,	 /* until another thread joins it */
	STATE_DEAD,
};

/*
 * A value of `in_dispatch`. The thread has no budget, and `charged` is all its run time, because it has not run since
 * it was counted. Any run ends this, because a thread that leaves its dispatch clears `in_dispatch`.
 */
#define IN_DISPATCH_COUNTED 2

struct thread {
	/* Nodes of queues. `wait` is first, because its link is also the thread's link. */
	struct node wait;  /* timer: end of a wait */
	struct node alarm; /* timer: alarm of a part */
	struct node renew; /* timer: start of the next span of its budget */
	union {
		struct node ready; /* in a queue by key */
		struct {
			uint16_t next, before; /* in a list of equal keys or of spare threads */
		};
	};
	uint8_t state;
	bool expired; /* its wait timed out */
	union {
		uint16_t watched; /* 0: all false */
		struct {
			bool metered; /* its run time is measured */
			bool part;    /* it represents the threads of a nested scheduler */
		};
	};
	uint8_t in_dispatch; /* while it does not run: it is suspended in its own dispatch here */
	bool held;	     /* its budget is used up: READY, but not queued */
	uint8_t tokens;	     /* bit of a state: woken from it while in another state */
	uint8_t priority;    /* 1 to 255, larger is more important */
	union {
		uint32_t bound; /* while suspended; 0: both unset */
		struct {
			uint16_t owner; /* the thread that it lends its key to; see <sched/key.h> */
			uint16_t waits; /* 1 + index of the queue of waiters for objects that it is in */
		};
	};
	uint16_t proxy; /* the thread that represents this id of the kernel here: itself, or its part's */
	uint16_t lender; /* first of the list of threads that lend their keys to this one */
	uint16_t lender_next, lender_before; /* in the list of an owner's lenders */
	uint16_t component;		     /* index */
	uint16_t joiner;		     /* the thread that waits for its end */
	uint64_t key;			     /* the smallest comes first; includes lent keys */
	uint64_t own;			     /* the key without lent keys */
	uint64_t release;		     /* periodic: the next release */
	uint64_t period;		     /* in ticks; 0: not periodic */
	uint64_t due;			     /* deadline of its job; LIMPET_NEVER: no deadline */
	uint32_t groups; /* policies with slots: groups whose slots it may use, including lent ones */
	union {
		uint32_t own_groups; /* policies with slots: without lent ones */
		uint32_t share; /* policies with reservations: its reserved time, in units of 1 / SHARE_WHOLE */
	};

	/* Its budget: <sched/budget.h>. */
	int64_t left;	 /* remaining ticks; negative: a debt */
	uint64_t budget; /* ticks in each span; 0: no budget */
	uint64_t span;
	uint64_t until; /* start of the next span */
	uint64_t charged; /* run time of the kernel's count that is already charged; see IN_DISPATCH_COUNTED */
	uint32_t slice; /* round robin: a turn, in ticks; 0: none */
	uint32_t turn;	/* remaining ticks of its turn */
	uint32_t misses, overruns;

	/* Its life. */
	union {
		uint64_t order;	 /* of suspensions: the longest waiter has the smallest */
		uint64_t object; /* if `waits` is set: the object that it waits for */
	};
	word entry;	 /* function that it was created for */
	word value;	 /* its argument; once EXITED its exit value */
	uint16_t waiter; /* part: the thread that waits, or has not yet read the result of its wait */
	uint8_t yields; /* part: calls of owner_run() since one of its threads released something */
	bool given : 1; /* the system file sets its budget; calls cannot change it */
	bool spare : 1; /* it can be created */
	bool worked : 1; /* spare: it has received its work */
	bool detached : 1;
	bool working : 1; /* periodic: it is in a job */
	bool leaving : 1; /* `share` is greater than that of its budget until timer `renew` is due */
	uint32_t late;	  /* ticks from the job's release to its begin */
} __attribute__((aligned(256))); /* a power of two: found without a multiplication */

_Static_assert(sizeof(struct thread) == 256,
	       "each-thread in component.toml of the schedulers has this size");

/* Convert thread ids to links of nodes, and back. */
#define LINK(id) ((id) * (unsigned int)(sizeof(struct thread) / TREE_UNIT))
#define LINK_OF(id, timer) (LINK(id) + (unsigned int)(offsetof(struct thread, timer) / TREE_UNIT))
#define ID_OF(link) ((link) / LINK(1u))
/* Links of timers: a thread's wait, a part's alarm, a budget's renewal, and the policy's own timer. */
#define TIMER_WAIT(id) LINK(id)
#define TIMER_ALARM(id) LINK_OF(id, alarm)
#define TIMER_RENEW(id) LINK_OF(id, renew)
#define TIMER_POLICY LINK_OF(0u, renew)

_Static_assert(LINK(LIMPET_THREADS_MAX) <= 1ul << 16, "a link has 16 bits");
_Static_assert(!offsetof(struct thread, wait), "a thread and its wait have the same link");

#define WAITS 64

struct sched {
	union {
		uint64_t rare; /* 0: all unset */
		struct {
			uint32_t data_lock; /* 0: free; taken by a thread of a part: its id; else 1 */
			uint16_t metered;   /* the thread that is being charged, or NONE */
			bool recheck;	    /* the running thread may have less time than planned */
			bool late; /* notices are stored in the sets `latecomers` to `stopped` */
		};
	};
	uint32_t contended;
	unsigned int self;    /* id of the scheduler's thread */
	unsigned int threads; /* ids are 1 to this */
	uint64_t programmed;  /* time of the next clock event */
	uint64_t reached;     /* time for which the last early clock event was set */
	uint64_t lead; /* ticks by which a wait ends early; the caller's stub waits for the rest */
	struct timers timers;
	struct ids latecomers;	  /* threads that can run */
	struct ids waiting, dead; /* threads that wait in the kernel, and dead ones */
	struct ids stopped;	  /* threads whose waits ended, because a component was stopped */
	struct ids alarms;	  /* parts whose alarm must be sent; `recheck` is set */
	struct tree waits[WAITS]; /* threads that wait for objects, by a hash of the object; by key */
	uint64_t resumed[WAITS]; /* when an object of this hash was last resumed */
	uint64_t factor;	 /* odd, of the hashes of objects */
	uint64_t since;		 /* start of charging */
	uint32_t slice;	   /* round robin: the turn that a thread begins with, ticks; 0: none */
	bool turns;	   /* some thread has a slice */
	uint64_t capacity; /* per cent of the time that may be reserved */
	uint64_t reserved; /* reserved time, in units of 1 / SHARE_WHOLE */
	uint64_t suspensions;
	bool urgent;			       /* events may switch an idle CPU to their threads */
	uint16_t spare[LIMPET_COMPONENTS_MAX]; /* first unused spare thread */
	struct thread
		thread[]; /* by id; the composer sets the number: each-thread in component.toml */
};

extern struct sched sched;

/*
 * Returns the id of a thread from an id of the kernel. Returns NONE for threads that are not in the system's
 * description: the booter's, and those that components with frames create, which can have any id.
 */
static inline unsigned int thread_known(const struct sched *sched, word id)
{
	return likely(id <= sched->threads) ? (unsigned int)id : NONE;
}

/* Returns the thread that represents the id `id` in this scheduler, or NONE. */
static inline unsigned int thread_proxy(const struct sched *sched, word id)
{
	return id <= sched->threads ? sched->thread[id].proxy : NONE;
}

/*
 * Returns the time for which decisions are made. An idle CPU can get its clock event early. The scheduler then uses the
 * time for which the clock was set, because the kernel holds the dispatched thread until that time.
 */
static inline uint64_t time_now(const struct sched *sched)
{
	uint64_t now = limpet_time();

	return now > sched->reached ? now : sched->reached;
}

/* Counts a missed deadline, for account() and in the kernel's statistics. */
static inline void thread_missed(struct sched *sched, unsigned int id)
{
	sched->thread[id].misses++;
	limpet_call_thread_missed(LIMPET_SLOT_THREADS + id);
}

#endif
