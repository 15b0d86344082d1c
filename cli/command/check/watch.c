// SPDX-License-Identifier: GPL-2.0
/* Reads accounts, events and counters while the system runs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#include <cli/command/check/check.h>
#include <cli/common/rings.h>
#include <client/device.h>

#define CPUS_MS 500	/* a change of Linux's CPUs is near a job within this time */
#define BEGIN_SECONDS 1 /* time limit for the wait for jobs that began before the check */
#define END_SECONDS 0.5 /* time limit for a thread that seems stuck to end its job */
#define LOOKS 10	/* the accounts are read after this number of reads of the rings */
#define MOMENTS                                                                                    \
	50 /* so are the counters of the hardware, more rarely because this can interrupt the CPUs */

struct watch {
	struct check *check;
	int fd;
	const char *root;
	struct timeline *timeline; /* one for each CPU */
	double began;
	struct rings rings;
};

/* --- Events */

static void events_put(void *to, unsigned int cpu, struct limpet_trace_event *event, size_t count,
		       uint64_t lost)
{
	struct watch *watch = to;

	timeline_put(&watch->timeline[cpu], event, count, lost);
	if (watch->check->hooks.events)
		watch->check->hooks.events(watch->check, cpu, event, count);
}

static void events_read(struct watch *watch)
{
	if (watch->check->traced)
		rings_read(&watch->rings);
}

/* Starts the trace, unless the check is silent. A system without trace rings is checked without events. */
static int events_begin(struct watch *watch)
{
	int error = watch->check->silent ? -ENOENT : rings_begin(&watch->rings, TIMELINE_KINDS);

	watch->check->traced = !error;
	return error == -ENOENT ? 0 : error;
}

/* --- Accounts */

/* Analyzes the use of the CPU from a release up to `end`. */
static void span_analyze(struct watch *watch, struct check_thread *thread, uint64_t release,
			 uint64_t end)
{
	const struct timeline *timeline = &watch->timeline[thread->cpu];

	timeline_take(thread->sum, timeline, release, end);
	if (watch->check->hooks.worst)
		watch->check->hooks.worst(watch->check, thread, timeline, release, end);
}

/*
 * Compares the hardware's counters around a thread's worst job. Linux works for some time before and after it changes
 * the list of its CPUs, so a change of the list counts within CPUS_MS of the job. Therefore later readings repeat this.
 */
static void change_analyze(struct watch *watch, struct check_thread *thread)
{
	const struct history *history = &watch->check->history[thread->cpu];
	const uint64_t wide = CPUS_MS * watch->check->snapshot.info.ticks_per_ms;
	const uint64_t since = thread->sum->linux_from;
	const uint64_t from = since && since < thread->from ? since : thread->from;
	struct history_change cpus;

	history_compare(history, from, thread->to, &thread->change);
	history_compare(history, thread->from > wide ? thread->from - wide : 0, thread->to + wide,
			&cpus);
	memcpy(thread->change.before, cpus.before, sizeof(cpus.before));
	memcpy(thread->change.after, cpus.after, sizeof(cpus.after));
}

static void histories_read(struct watch *watch)
{
	struct check *check = watch->check;
	const struct limpet_ioc_info *info = &check->snapshot.info;
	const uint64_t recent = 3 * CPUS_MS * info->ticks_per_ms;

	for (unsigned int cpu = 0; cpu < info->cpus; cpu++)
		history_read(&check->history[cpu], watch->root, info->cpu[cpu]);
	for (unsigned int i = 0; i < check->threads; i++)
		if (check->thread[i].to && __rdtsc() - check->thread[i].to < recent)
			change_analyze(watch, &check->thread[i]);
}

/* Sums the time of all threads in the throttling period before Linux's longest time in the worst job. */
static void throttling_analyze(struct watch *watch, struct check_thread *thread)
{
	static struct timeline_sum sum;
	const struct check *check = watch->check;
	const uint64_t us = (uint64_t)check->before[thread->cpu].throttle_period_us;
	const uint64_t period = us * check->snapshot.info.ticks_per_ms / 1000;
	const uint64_t from = thread->sum->linux_from;

	thread->ran_known = false;
	thread->ran = 0;
	if (!us || from < period)
		return;
	timeline_take(&sum, &watch->timeline[thread->cpu], from - period, from);
	thread->ran_known = sum.whole;
	thread->ran = timeline_ran(&sum);
}

/* Analyzes a new worst job. If its last event is not in the ring yet, the next call tries again. */
static void job_analyze(struct watch *watch, struct check_thread *thread)
{
	const struct limpet_job_times *worst = check_worst(watch->check, thread);

	if (worst->max == thread->analyzed)
		return;
	events_read(watch);
	thread->from = worst->longest;
	thread->to = worst->longest + worst->max;
	histories_read(watch);
	span_analyze(watch, thread, thread->from, thread->to);
	change_analyze(watch, thread);
	throttling_analyze(watch, thread);
	if (thread->sum->whole)
		thread->analyzed = worst->max;
}

static void accounts_read(struct watch *watch)
{
	struct check *check = watch->check;

	for (struct check_thread *thread = check->thread; thread < check->thread + check->threads;
	     thread++) {
		struct limpet_jobs now;

		if (limpet_jobs(watch->fd, thread->cpu, thread->id, false, &now) < 0) {
			check->ended = true;
			return;
		}
		if (now.count < thread->before.count) /* the thread was restarted */
			memset(&thread->before, 0, sizeof(thread->before));
		if (now.count == thread->before.count || now.clear)
			continue;
		thread->now = now;
		job_analyze(watch, thread);
	}
	if (check->hooks.accounts)
		check->hooks.accounts(check, seconds_now() - watch->began);
}

static void states_take(struct check *check, const struct limpet_stat *stat)
{
	for (unsigned int i = 0; i < stat->threads; i++)
		for (struct check_thread *thread = check->thread;
		     thread < check->thread + check->threads; thread++)
			if (stat->thread[i].cpu == thread->cpu &&
			    stat->thread[i].id == thread->id) {
				thread->state = stat->thread[i].state;
				thread->inside = stat->thread[i].inside;
			}
}

/* Finds the periodic threads. */
static int threads_find(struct check *check)
{
	const struct limpet_stat *stat = &check->snapshot.stat;

	check->thread = calloc(stat->threads + 1, sizeof(*check->thread));
	for (unsigned int i = 0; check->thread && i < stat->threads; i++) {
		struct check_thread *thread = &check->thread[check->threads];

		if (!stat->thread[i].period) {
			check->unchecked++;
			continue;
		}
		*thread = (struct check_thread){
			.cpu = stat->thread[i].cpu,
			.id = stat->thread[i].id,
			.home = stat->thread[i].home,
			.period = stat->thread[i].period,
			.sum = calloc(1, sizeof(*thread->sum)),
		};
		check->threads++;
		if (!thread->sum)
			return -ENOMEM;
	}
	if (!check->thread)
		return -ENOMEM;
	return check->threads || check->any ? 0 : -ENOENT;
}

/* Clears the maxima when the current jobs end. */
static int maxima_clear(struct watch *watch)
{
	struct check *check = watch->check;
	struct limpet_jobs unused;
	int error = 0;

	for (unsigned int i = 0; !error && i < check->threads; i++)
		error = limpet_jobs(watch->fd, check->thread[i].cpu, check->thread[i].id, true,
				    &unused);
	return error;
}

/*
 * Reads the accounts. Returns 1 while a thread's maxima are to be cleared, or its last job was released before `since`.
 * Returns 0 when there is no such thread, or a negative errno.
 */
static int accounts_wait(struct watch *watch, uint64_t since)
{
	struct check *check = watch->check;
	int waits = 0;

	for (unsigned int i = 0; i < check->threads; i++) {
		struct check_thread *thread = &check->thread[i];
		int error = limpet_jobs(watch->fd, thread->cpu, thread->id, false, &thread->before);

		if (error < 0)
			return error;
		thread->now = thread->before;
		waits |= thread->before.clear || thread->before.release < since;
	}
	return waits;
}

/* Repeats accounts_wait() until no thread waits, or until a time in seconds, because a job may never end. */
static int accounts_await(struct watch *watch, uint64_t since, double until)
{
	int error;

	while ((error = accounts_wait(watch, since)) > 0 && seconds_now() < until)
		rings_pause();
	return error < 0 ? error : 0;
}

/*
 * Clears the maxima, so that they cover only jobs whose events are known from their release on. A job that was released
 * before the trace began can still be late after it. So this first waits for the end of a later one, for at most
 * BEGIN_SECONDS.
 */
static int accounts_begin(struct watch *watch)
{
	const double until = seconds_now() + BEGIN_SECONDS;
	int error = accounts_await(watch, __rdtsc(), until);

	if (!error)
		error = maxima_clear(watch);
	return error ? error : accounts_await(watch, 0, until);
}

/* --- Machine */

static void machines_read(struct watch *watch, struct machine *machine)
{
	const struct limpet_ioc_info *info = &watch->check->snapshot.info;

	for (unsigned int cpu = 0; cpu < info->cpus; cpu++)
		machine_read(&machine[cpu], watch->root, info->cpu[cpu],
			     watch->check->priority[cpu]);
}

static int machines_begin(struct watch *watch)
{
	struct check *check = watch->check;
	const struct limpet_ioc_info *info = &check->snapshot.info;

	check->before = calloc(info->cpus, sizeof(*check->before));
	check->after = calloc(info->cpus, sizeof(*check->after));
	check->history = calloc(info->cpus, sizeof(*check->history));
	watch->timeline = calloc(info->cpus, sizeof(*watch->timeline));
	if (!check->before || !check->after || !check->history || !watch->timeline)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < info->cpus; cpu++)
		check->priority[cpu] =
			info->mode == LIMPET_MODE_BENEATH
				? PRIORITY_NONE
				: machine_priority(watch->root, info->host_pid, info->cpu[cpu]);
	machines_read(watch, check->before);
	histories_read(watch);
	return 0;
}

/* --- Main loop */

static void progress_print(double done, double seconds)
{
	static int shown = -1;

	if (!isatty(STDERR_FILENO) || (int)done == shown)
		return;
	shown = (int)done;
	fprintf(stderr, "\rchecking: %d of %.0f s ", shown, seconds);
}

static void progress_clear(void)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r%40s\r", "");
}

static void collect(struct watch *watch, double seconds)
{
	struct check *check = watch->check;
	unsigned int looks = 0;

	watch->began = seconds_now();
	while (!interruption_came() && !check->ended && seconds_now() < watch->began + seconds) {
		rings_pause();
		events_read(watch);
		if (++looks % LOOKS == 0)
			accounts_read(watch);
		if (looks % MOMENTS == 0)
			histories_read(watch);
		progress_print(seconds_now() - watch->began, seconds);
	}
	if (!check->ended)
		accounts_read(watch);
	histories_read(watch);
	progress_clear();
	check->seconds = seconds_now() - watch->began;
}

/* Analyzes the last periods of a thread whose last job does not end, instead of its worst job. */
static void stuck_analyze(struct watch *watch, struct check_thread *thread)
{
	const uint64_t end = timeline_end(&watch->timeline[thread->cpu]);
	const uint64_t span = CHECK_STUCK * thread->period;

	if (end > span)
		span_analyze(watch, thread, end - span, end);
}

/*
 * Reads the counters after the check, and then the accounts, so that no job ends unseen before the counters were read.
 * Returns whether a thread seems stuck.
 */
static bool stuck_find(struct watch *watch)
{
	struct check *check = watch->check;
	bool stuck = false;

	machines_read(watch, check->after);
	for (unsigned int i = 0; i < check->threads; i++)
		check->thread[i].seen = check->thread[i].now.count;
	events_read(watch);
	accounts_read(watch);
	for (unsigned int i = 0; i < check->threads; i++)
		stuck |= check_stuck(check, &check->thread[i]);
	return stuck;
}

/*
 * Waits for threads that seem stuck, because Linux may have had the CPU for a moment. Analyzes the last periods of each
 * thread that is still stuck then, and reads the states of all threads.
 */
static void end_read(struct watch *watch)
{
	struct check *check = watch->check;
	const double until = seconds_now() + END_SECONDS;
	struct limpet_stat stat;

	do
		rings_pause();
	while (stuck_find(watch) && !check->ended && seconds_now() < until);
	for (unsigned int i = 0; i < check->threads; i++)
		if (check_stuck(check, &check->thread[i]))
			stuck_analyze(watch, &check->thread[i]);
	if (limpet_stat(watch->fd, &stat) < 0) {
		check->ended = true;
		return;
	}
	states_take(check, &stat);
	limpet_stat_free(&stat);
}

static int watch_run(struct watch *watch, double seconds)
{
	int error = threads_find(watch->check);

	if (!error)
		error = machines_begin(watch);
	if (!error)
		error = events_begin(watch);
	if (!error)
		error = accounts_begin(watch);
	if (error)
		return error;
	interruption_catch();
	collect(watch, seconds);
	end_read(watch);
	if (watch->check->traced)
		rings_end(&watch->rings);
	watch->check->lost = watch->rings.lost;
	return 0;
}

int check_watch(struct check *check, int fd, const char *root, double seconds)
{
	struct watch watch = {
		.check = check,
		.fd = fd,
		.root = root,
		.rings = { .fd = fd,
			   .cpus = check->snapshot.info.cpus,
			   .put = events_put,
			   .to = &watch },
	};
	int error = watch_run(&watch, seconds);

	free(watch.timeline);
	return error;
}

void check_release(struct check *check)
{
	for (unsigned int i = 0; i < check->threads; i++)
		free(check->thread[i].sum);
	free(check->thread);
	free(check->before);
	free(check->after);
	free(check->history);
}
