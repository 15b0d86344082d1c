/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What all schedulers share: the data. A scheduler is the sources of this folder, and a policy.h of
 * its own that says who comes first: docs/guide/scheduling.md.
 *
 * Threads enter by invocation and suspend themselves here, in a dispatch of their own. The
 * scheduler's own thread preempts all that it schedules: the kernel switches to it when the timer is
 * due, when an event makes a thread ready, and when a thread waits in the kernel or dies. Nothing
 * else ever preempts a thread.
 *
 * That makes the lock simple. A thread sets `busy` while it changes the data here. If the
 * scheduler's thread finds it set, the thread that it preempted is the one inside: it sets
 * `contended`, dispatches that thread again, and gets the CPU back when `busy` is cleared. So no
 * thread but the scheduler's ever meets a lock that is taken.
 *
 * A thread that gives the CPU away keeps `busy` set until the other one has it, and that one clears
 * it: in between, a dispatch that was decided cannot become stale. Only a thread suspended here,
 * `inside`, can clear it; to one that was preempted elsewhere, and to an idle CPU, the way leads
 * through the scheduler's thread. To dispatch that one is never wrong, so `busy` is cleared before.
 *
 * A part is what a nested scheduler schedules. Here it is one thread, the nested scheduler's; for
 * whichever of its threads comes in, that one is meant. A nested scheduler can preempt a thread that
 * is inside here, and dispatch another one that comes in, too. So a part takes `busy` by an atomic
 * operation, with the id of the thread that is inside, and who finds it taken lets that one finish.
 */
#ifndef SCHED_SCHED_H
#define SCHED_SCHED_H

#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/time.h>

#include <sched/ids.h>
#include <sched/timers.h>

#define NONE 0
#define PERIOD_LEAST 1000ul	/* ticks: less than a wake-up costs */
#define PERIOD_MOST (1ul << 40) /* ticks: minutes */

#define barrier() asm volatile("" : : : "memory")

enum thread_state {
	STATE_NONE = 0,	 /* not a thread that is scheduled here */
	STATE_READY,	 /* it can run; in the policy's queue unless it is held */
	STATE_BLOCKED,	 /* until another thread wakes it, or a time */
	STATE_SUSPENDED, /* the same with wake-ups of its own, for locks */
	STATE_SLEEPING,	 /* until a time */
	STATE_WAITING,	 /* for an event, in the kernel */
	STATE_JOINING,	 /* until another thread ends, or a time */
	STATE_SPARE,	 /* until somebody creates it */
	STATE_EXITED,	 /* until somebody joins it */
	STATE_DEAD,
};

struct thread {
	/* Places in queues; wait stands first: its link is the thread's. */
	struct node wait;  /* timer: the end of a wait */
	struct node alarm; /* timer: of a part */
	struct node renew; /* timer: the next span of its budget */
	union {
		struct node ready; /* in a queue by key */
		struct {
			uint16_t next, before; /* in a list: of equal keys, or of spare threads */
		};
	};
	uint8_t state;
	bool expired; /* its wait ended by time */
	union {
		uint16_t watched; /* 0: nothing of this */
		struct {
			bool metered; /* how long it runs has to be known */
			bool part;    /* it stands for what a nested scheduler schedules */
		};
	};
	bool inside;	  /* if it does not run: it is suspended in a dispatch of its own, here */
	bool held;	  /* its budget is used up: READY, but in no queue */
	uint8_t tokens;	  /* bit of a state: woken from it while it was in another */
	uint8_t priority; /* 1 to 255, greater is more important */
	union {
		uint32_t bound; /* while suspended; 0: nothing of this */
		struct {
			uint16_t owner; /* whom it lends its key */
			uint16_t waits; /* 1 + index of the queue of those that wait for objects */
		};
	};
	uint16_t stands; /* who stands for this id of the kernel's here: itself, or its part's */
	uint16_t lender; /* the first of those who lend it their keys */
	uint16_t lender_next, lender_before; /* others who lend theirs to the same owner */
	uint16_t component;		     /* index */
	uint16_t joiner;		     /* who waits for its end */
	uint64_t key;	  /* who comes first: the smallest; with what others lend it */
	uint64_t own;	  /* the same, without */
	uint64_t release; /* periodic: the next release */
	uint64_t period;  /* in ticks; 0: not periodic */
	uint64_t due;	  /* when its job has to be done; LIMPET_NEVER: no job has a deadline */
	uint32_t groups;  /* policies with slots: those that it may run in, with what others lend */
	uint32_t own_groups;

	/* Its budget: <sched/budget.h>. */
	int64_t left;	 /* ticks that it may run yet; below 0: a debt */
	uint64_t budget; /* in each span; 0: none */
	uint64_t span;
	uint64_t until;	  /* when the next span begins */
	uint64_t charged; /* what the kernel says that it has run, as far as paid for */
	int64_t turn;	  /* round robin: ticks that are left of its turn */
	uint32_t misses, overruns;

	/* Its life. */
	union {
		uint64_t order;	 /* of suspensions: who waits longest has the least */
		uint64_t object; /* with `waits`: what it waits for, and whose that is */
	};
	word entry;	 /* of what it was created for */
	word value;	 /* its argument; once EXITED what it gave to exit */
	uint16_t waiter; /* part: which of its threads waits, or does not yet know how that ended */
	bool given : 1;	 /* its budget is given by the system file: nobody changes it */
	bool spare : 1;	 /* it can be created */
	bool worked : 1; /* spare: it has been told what to do */
	bool detached : 1;
} __attribute__((aligned(256))); /* a power of two: found without a multiplication */

_Static_assert(sizeof(struct thread) == 256, "component.toml of each scheduler says the size, too");

/* Links of nodes, and from there back to the thread. */
#define LINK(id) ((id) * (unsigned int)(sizeof(struct thread) / TREE_UNIT))
#define LINK_OF(id, timer) (LINK(id) + (unsigned int)(offsetof(struct thread, timer) / TREE_UNIT))
#define ID_OF(link) ((link) / LINK(1u))
/* Timers by links: of a thread's wait, of a part, of a budget, and the policy's own. */
#define TIMER_WAIT(id) LINK(id)
#define TIMER_ALARM(id) LINK_OF(id, alarm)
#define TIMER_RENEW(id) LINK_OF(id, renew)
#define TIMER_POLICY LINK_OF(0u, renew)

_Static_assert(LINK(LIMPET_THREADS_MAX) <= 1ul << 16, "links have 16 bits");
_Static_assert(!offsetof(struct thread, wait), "the link of a thread is that of its wait");

#define WAITS 64

struct sched {
	union {
		uint64_t rare; /* 0: nothing of this */
		struct {
			uint32_t busy;	  /* of a part: the id of the thread that is inside */
			uint16_t metered; /* who is being charged, NONE: nobody */
			bool recheck; /* the running thread may have less time than was thought */
			bool late;    /* threads became ready while `busy` was set: `latecomers` */
		};
	};
	uint32_t contended;
	unsigned int self;    /* id of the scheduler's thread */
	unsigned int threads; /* ids are 1 to this */
	uint64_t programmed;  /* the time at which the clock will come */
	uint64_t reached;     /* the time for which it came last: it may be a little early */
	struct timers timers;
	struct ids latecomers;
	struct ids stopped;	  /* their waits ended meanwhile, with who had made them */
	struct ids alarms;	  /* parts whose alarm has to be sent; `recheck` is set */
	struct tree waits[WAITS]; /* by key: threads that wait for objects, by a hash of these */
	uint64_t resumed[WAITS];  /* when an object of these was named last */
	uint64_t since;		  /* when charging began */
	uint64_t slice;		  /* round robin among threads with the same key, ticks; 0: none */
	uint64_t capacity;	  /* per cent of the time that may be reserved */
	uint64_t reserved;	  /* what is, in parts of SHARE_WHOLE */
	uint64_t suspensions;
	bool urgent;			       /* events may switch an idle CPU to their threads */
	uint16_t spare[LIMPET_COMPONENTS_MAX]; /* the first spare thread that nobody uses */
	struct thread
		thread[]; /* by id; as many as the system has: see each-thread in component.toml */
};

extern struct sched sched;

/*
 * The id of a thread, as the kernel tells it. A component with frames can make threads of its own, with any id:
 * they are NONE here, as the booter's.
 */
static inline unsigned int thread_known(const struct sched *s, word id)
{
	return likely(id <= s->threads) ? (unsigned int)id : NONE;
}

/* Which of our threads is meant by an id that somebody names; NONE: nobody is. */
static inline unsigned int thread_standing(const struct sched *s, word id)
{
	return id <= s->threads ? s->thread[id].stands : NONE;
}

/*
 * The time that decisions are made for. The clock may come to an idle CPU a little early: from then on it is
 * the time for which the clock was set, because the kernel holds the thread that is dispatched until then.
 */
static inline uint64_t time_now(const struct sched *s)
{
	uint64_t now = limpet_time();

	return now > s->reached ? now : s->reached;
}

/* A deadline that was missed, for account() and for all who read the kernel's statistics. */
static inline void thread_missed(struct sched *s, unsigned int id)
{
	s->thread[id].misses++;
	limpet_call_thread_missed(LIMPET_SLOT_THREADS + id);
}

#endif
