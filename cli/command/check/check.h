/* SPDX-License-Identifier: GPL-2.0 */
/*
 * `limpet check` decides for each periodic thread whether it is real-time. watch.c reads the accounts of the jobs and
 * the events around the worst job. machine.c reads Linux's counters, and history.c those of the hardware. jobs.c has the
 * times of jobs. cause.c and hardware.c find the probable cause, cause_text.c has its words, and print.c prints the result.
 */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include <stdio.h>

#include <cli/command/check/history.h>
#include <cli/command/check/machine.h>
#include <cli/command/check/timeline.h>
#include <cli/common/snapshot.h>

#define CHECK_TEXT 400
#define CHECK_STUCK 3	  /* a thread is stuck if no job ends for this number of periods */
#define PRIORITY_NONE 100 /* value above all SCHED_FIFO priorities of Linux */

/* Kinds of causes. The words of cause_word() are an interface. */
enum cause_kind {
	CAUSE_NONE,
	CAUSE_OWN,    /* the thread's own code ran too long */
	CAUSE_BUDGET, /* its scheduler held it */
	CAUSE_THREAD, /* another thread of the system */
	CAUSE_CHANNEL, /* another thread, woken by events, of a component to which Linux sends messages */
	CAUSE_FAULTS,	  /* its page faults or other exceptions */
	CAUSE_LINUX_TASK, /* a thread of Linux with a higher priority */
	CAUSE_THROTTLING, /* Linux's throttling of real-time threads */
	CAUSE_INTERRUPTS, /* Linux's interrupts */
	CAUSE_SHARE,	  /* Linux's share of the CPU */
	CAUSE_LINUX,	  /* another activity of Linux, such as a long time without preemption */
	CAUSE_SMI,	  /* the firmware's interrupts */
	CAUSE_NMI,	  /* NMIs */
	CAUSE_HEAT,	  /* the processor throttled itself because of its temperature */
	CAUSE_FREQUENCY,  /* the processor's frequency changed */
	CAUSE_IDLE_STATE, /* the processor left an idle state */
	CAUSE_CPUS,	  /* a CPU of Linux went offline or came back */
	CAUSE_STALL,	  /* the machine stopped, and only component hwlat saw it */
	CAUSE_STEAL,	  /* a hypervisor */
	CAUSE_STUCK,	  /* the jobs do not end */
	CAUSE_UNKNOWN,	  /* the events of the job were lost */
};

struct cause {
	enum cause_kind kind;
	char found[CHECK_TEXT];	 /* a sentence about the measurement */
	char remedy[CHECK_TEXT]; /* a sentence about what to do */
};

enum check_verdict {
	CHECK_IDLE, /* no job ended, but the check was short compared to the period */
	CHECK_REALTIME,
	CHECK_NARROW, /* real-time, with less than a fifth of the period as margin */
	CHECK_FAILED, /* a deadline was missed, or a job began later than --late allows */
};

/* A periodic thread. Times are in ticks. */
struct check_thread {
	unsigned int cpu, id, home;
	unsigned int state,
		inside; /* values at the end: enum limpet_thread_state, and the index of the component */
	uint64_t period;
	uint64_t analyzed; /* time of the job that `sum` describes; 0: `sum` is unset */
	struct limpet_jobs before, now;
	uint64_t seen; /* number of its jobs before the last read of `now`, if the check was at its end; otherwise 0 */
	struct timeline_sum *sum;     /* use of the CPU in its worst job */
	struct history_change change; /* of the CPU's counters near that job */
	uint64_t from, to;	      /* time stamps of that job */
	bool ran_known;		      /* all events for `ran` are known */
	uint64_t ran; /* known time of all threads in the throttling period before Linux's longest time in that job */
	enum check_verdict verdict;
	struct cause cause;
};

struct check;

/* Functions of a command that uses the check's readings. Each can be NULL. */
struct check_hooks {
	/* Called after each read of the accounts, with the seconds since the start. */
	void (*accounts)(struct check *check, double seconds);
	/* Called with new events, in their order. */
	void (*events)(struct check *check, unsigned int cpu,
		       const struct limpet_trace_event *event, size_t count);
	/*
	 * Called for each new worst job, which lasted from `release` to `end`. The last call has the worst job of the
	 * check.
	 */
	void (*worst)(struct check *check, const struct check_thread *thread,
		      const struct timeline *timeline, uint64_t release, uint64_t end);
};

struct check {
	struct snapshot snapshot; /* taken at the start */
	struct check_hooks hooks;
	bool any;	  /* do not refuse a system without a periodic thread */
	bool silent;	  /* record no events, because that makes jobs longer */
	double seconds;	  /* duration of the check */
	uint64_t late_ns; /* limit for the start of a job after its release; 0: no limit */
	bool traced;	  /* the system has trace rings */
	bool ended;	  /* the system ended during the check */
	uint64_t lost;	  /* number of events that were overwritten before they were read */
	unsigned int threads, unchecked; /* numbers of periodic threads, and of other threads */
	struct check_thread *thread;
	int priority[LIMPET_CPUS_MAX];	/* SCHED_FIFO priorities of the host threads */
	struct machine *before, *after; /* counters of each CPU, at the start and at the end */
	struct history *history;	/* readings of each CPU's hardware */
};

/* Returns the number of jobs that ended during the check. */
static inline uint64_t check_jobs(const struct check_thread *thread)
{
	return thread->now.count - thread->before.count;
}

/* Options of all commands that check a system. */
struct check_options {
	double seconds; /* duration */
	long late;	/* limit in µs; 0: no limit */
	bool load, json;
};
#define CHECK_OPTIONS_DEFAULT { .seconds = 10 }
/* Members of a list of options (<cli/common/option.h>) that set `options`. */
#define CHECK_OPTIONS(options)                                                                     \
	OPTION_TAKE("for", check_seconds_take, &(options).seconds,                                 \
		    "a time such as 60s, 5m or 500ms"),                                            \
		OPTION_FLAG("load", &(options).load), OPTION_FLAG("json", &(options).json)
#define CHECK_OPTION_LATE(options) OPTION_NUMBER("late", &(options).late, 1, 1000000, " µs")
/* Reads "60", "60s", "500ms", "5m" or "2h" as seconds into a double. Returns whether the text is valid. */
bool check_seconds_take(void *to, const char *value);

/*
 * Calls check_watch() on this machine, with a load if `options` has it. Returns enum command_exit after it has reported
 * an error.
 */
int check_measure(struct check *check, int fd, const struct check_options *options);

/* jobs.c */
/* Returns whether the last job does not end. */
bool check_stuck(const struct check *check, const struct check_thread *thread);
/* Returns the times with the worst job: the starts if one is later than `late_ns`, else the ends. */
const struct limpet_job_times *check_worst(const struct check *check,
					   const struct check_thread *thread);
/* Returns the number of jobs that missed their deadline. */
static inline uint64_t check_missed(const struct check_thread *thread)
{
	return thread->now.missed - thread->before.missed;
}

/* Convert ticks to nanoseconds and to microseconds. */
uint64_t check_ns(const struct check *check, uint64_t ticks);
double check_us(const struct check *check, uint64_t ticks);
/* Returns the time in ticks that `permille` of 1000 jobs did not exceed, rounded up to the end of a bucket. */
uint64_t check_quantile(const struct limpet_job_times *before, const struct limpet_job_times *now,
			unsigned int permille);

/*
 * watch.c. Collects for `seconds`. Shows the progress on stderr if that is a terminal. Returns 0 or a negative errno.
 * -ENOENT: no thread of the system is periodic. -EBUSY: another command reads the trace.
 */
int check_watch(struct check *check, int fd, const char *root, double seconds);
void check_release(struct check *check);

/* cause.c. Sets the verdict and the cause of each thread. */
void check_judge(struct check *check);

/* cause_text.c */
/* Returns the word for a kind of cause, such as "own-code"; "none" for CAUSE_NONE. */
const char *cause_word(enum cause_kind kind);

/* hardware.c */
/* Returns the periodic thread of a component hwlat that ran on a CPU of the system, or NULL. */
const struct check_thread *check_hwlat(const struct check *check, unsigned int cpu);
/* Returns the longest time in ticks for which the CPU stopped while the thread of hwlat looked. */
uint64_t check_gap(const struct check_thread *hwlat);

/*
 * load.c. load_start() starts processes that keep each CPU of Linux busy. It returns false after it has reported an
 * error. load_stop() kills the processes.
 */
bool load_start(void);
void load_stop(void);

/* print.c */
/* Returns the word for a verdict, such as "narrow". */
const char *check_verdict_word(enum check_verdict verdict);
/* Returns the margin of the worst job in µs. It is negative if the job ended after its deadline. */
double check_margin_us(const struct check *check, const struct check_thread *thread);
/* Returns a sentence on what the system's mode means for the result. */
const char *check_mode_sentence(const struct check *check);
/* Prints the result for one thread in sentences, with the cause and the remedy in lines of their own. */
void check_print_thread(FILE *out, const struct check *check, const struct check_thread *thread);
/* Prints a line for each circumstance that limits the result. */
void check_print_notes(FILE *out, const struct check *check);
void check_print(FILE *out, const struct check *check);
void check_print_json(FILE *out, const struct check *check);

#endif
