/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fake kernel for the tests of components: threads with their own stacks, dispatch, endpoints,
 * events, one timer, and a clock that advances only while the CPU idles or a thread lets time pass.
 * It follows the rules of <limpet/call.h> on which a scheduler depends.
 *
 * A thread can be preempted between any two memory accesses of the component. The compiler
 * instruments the component, and the test may let the timer or an event come there.
 */
#ifndef FAKE_H
#define FAKE_H

#include <runtime/kernel_call.h>

#define FAKE_SCHEDULER 1 /* id of the scheduler's thread */
#define FAKE_NESTED 2	 /* id of the thread of a nested scheduler, if there is one */
#define FAKE_COMPONENT 1 /* index of the scheduler. All threads are in the next one */
#define BADGE_OF(component) ((component) + 1)
#define BADGE BADGE_OF(FAKE_COMPONENT + 1)

struct fake_setup {
	unsigned int threads;	  /* ids 1 to threads; 1 is the scheduler's */
	const uint8_t *priority;  /* indexed by id: [threads + 1] */
	const uint8_t *component; /* [threads + 1]; NULL: all are in the one after the scheduler's */
	void (*thread)(unsigned int id); /* work of ordinary threads, which then end */
	void (*preempt)(void);		 /* called at each access; NULL: never */
	bool (*idle)(void); /* called when no thread runs; true: an event arrived; NULL: never */
	uint64_t points;    /* end the run after this number of accesses */
	const struct limpet_info_arg *arg; /* arguments of the scheduler's component */
	unsigned int args;
	uint64_t part; /* bitmap of threads that thread FAKE_NESTED schedules, which has its own component */
	uint64_t spare; /* bitmap of spare threads: run calls their work */
	uint64_t early; /* ticks by which the timer's event arrives early at an idle CPU */
	uint64_t turn;	/* ticks that pass before each kernel call of the scheduler's thread */
};

extern const char *fake_failure; /* reason why a run ended early; NULL: all threads ended */
extern long fake_status;	 /* status of component_init(); after an error nothing runs */
extern uint64_t fake_now;
extern uint64_t fake_points;

/* Runs the scheduler (component_init, component_main) and the threads to the end. */
void fake_run(const struct fake_setup *setup);
/* Missed deadlines, as reported to the kernel. */
extern unsigned int fake_misses[LIMPET_THREADS_MAX];

/* Ends the run with a reason. */
void fake_fail(const char *why);
#define FAKE_CHECK(condition)                                                                      \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fake_fail(#condition);                                                     \
	} while (0)

/* Switches to another thread, as if it preempted the calling one. Returns when that one continues. */
void fake_switch(unsigned int id);
/* Sends an event to an ordinary thread's endpoint from outside. */
void fake_event(unsigned int id);
/* Starts a dead thread again, as a supervisor does. */
void fake_restart(unsigned int id);
/* Notifies the scheduler that a component that the thread is in was stopped. */
void fake_stop(unsigned int id);
/* Advances the time, and fires the timer if it is due. */
void fake_time_pass(uint64_t ticks);
/*
 * Lets the calling thread run for some ticks. The timer fires when it is due, and other threads may
 * run meanwhile.
 */
void fake_run_for(uint64_t ticks);
unsigned int fake_current(void);
/* Returns the run time of a thread. */
uint64_t fake_ran(unsigned int id);
/* Disables preemption while set, for checks. */
void fake_hold(bool hold);

#endif
