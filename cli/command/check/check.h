/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `limpet check`: is each periodic thread real-time? watch.c collects the accounts of their jobs and what had the CPU in
 * the worst job, machine.c what Linux did, cause.c finds the probable cause, print.c prints the result.
 */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <stdio.h>

#include <cli/command/check/machine.h>
#include <cli/command/check/timeline.h>
#include <cli/common/snapshot.h>

#define CHECK_TEXT 400
#define CHECK_STUCK 3	  /* periods in which at least one job ends */
#define PRIORITY_NONE 100 /* no SCHED_FIFO thread of Linux is more urgent than this */

/* Kinds of causes: their words, see cause_word(), are an interface. */
enum cause_kind {
	CAUSE_NONE,
	CAUSE_OWN,    /* the thread's own code ran too long */
	CAUSE_BUDGET, /* its scheduler held it */
	CAUSE_THREAD, /* another thread of the system */
	CAUSE_CHANNEL, /* another thread, woken by events, of a component to which Linux sends messages */
	CAUSE_FAULTS,	  /* its page faults or other exceptions */
	CAUSE_LINUX_TASK, /* a more urgent thread of Linux */
	CAUSE_THROTTLING, /* Linux's throttling of real-time threads */
	CAUSE_INTERRUPTS, /* Linux's interrupts */
	CAUSE_SHARE,	  /* Linux's share of the CPU */
	CAUSE_LINUX,	  /* something else of Linux, as a long time without preemption */
	CAUSE_SMI,	  /* the firmware's interrupts */
	CAUSE_STEAL,	  /* a hypervisor */
	CAUSE_STUCK,	  /* no job ends */
	CAUSE_UNKNOWN,	  /* the events of the job were lost */
};

struct cause {
	enum cause_kind kind;
	char found[CHECK_TEXT];	 /* what was measured, a sentence */
	char remedy[CHECK_TEXT]; /* what to do, a sentence */
};

enum check_verdict {
	CHECK_IDLE, /* no job ended, and its period is too long for that to mean anything */
	CHECK_REALTIME,
	CHECK_NARROW, /* real-time, with less than a fifth of the period as margin */
	CHECK_FAILED, /* a deadline was missed, or a job began later than --late allows */
};

/* A periodic thread. Times are in ticks. */
struct check_thread {
	unsigned int cpu, id, home;
	unsigned int state,
		inside; /* enum limpet_thread_state at the end, and in which component */
	uint64_t period;
	uint64_t analyzed; /* response of the job that `sum` describes; 0: of none */
	struct limpet_jobs before, now;
	struct timeline_sum *sum; /* who had the CPU in its worst job */
	enum check_verdict verdict;
	struct cause cause;
};

struct check {
	struct snapshot snapshot;	 /* of the beginning */
	double seconds;			 /* for which it was checked */
	uint64_t late_ns;		 /* a job that begins later than this fails; 0: none does */
	bool traced;			 /* the timelines have events */
	bool ended;			 /* the system ended meanwhile */
	uint64_t lost;			 /* events that were not read in time */
	unsigned int threads, unchecked; /* periodic ones; others */
	struct check_thread *thread;
	int priority[LIMPET_CPUS_MAX];	/* of the host threads, SCHED_FIFO */
	struct machine *before, *after; /* of each CPU */
};

/* The jobs that have ended while the thread was checked. */
static inline uint64_t check_jobs(const struct check_thread *thread)
{
	return thread->now.count - thread->before.count;
}

/* Whether its last jobs did not end. */
bool check_stuck(const struct check *check, const struct check_thread *thread);
/* The times of the job that decides: the latest start if that is later than `late_ns`, else the latest end. */
const struct limpet_job_times *check_worst(const struct check *check,
					   const struct check_thread *thread);
/* Of them, those that missed their deadline. */
static inline uint64_t check_missed(const struct check_thread *thread)
{
	return thread->now.missed - thread->before.missed;
}

/* Ticks as nanoseconds, and as microseconds. */
uint64_t check_ns(const struct check *check, uint64_t ticks);
double check_us(const struct check *check, uint64_t ticks);
/* The time in ticks that `permille` of 1000 jobs did not exceed, to the width of a bucket, upwards. */
uint64_t check_quantile(const struct limpet_job_times *before, const struct limpet_job_times *now,
			unsigned int permille);

/*
 * watch.c. Collects for `seconds`, with a line about the progress on stderr every second if that is a terminal. Returns
 * 0, or a negative errno: -ENOENT: no thread of the system is periodic; -EBUSY: another command traces.
 */
int check_watch(struct check *check, int fd, const char *root, double seconds);
void check_release(struct check *check);

/* cause.c. Sets the verdict and the cause of each thread. */
void check_judge(struct check *check);
/* "own-code", "interrupts"; of CAUSE_NONE "none". */
const char *cause_word(enum cause_kind kind);

/* load.c. Starts processes that keep each CPU of Linux busy. load_stop() ends them. False: reported. */
bool load_start(void);
void load_stop(void);

/* print.c */
void check_print(FILE *out, const struct check *check);
void check_print_json(FILE *out, const struct check *check);

#endif
