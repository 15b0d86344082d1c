// SPDX-License-Identifier: GPL-2.0
/* Collects accounts, events and counters while the system runs. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cli/command/check/check.h>
#include <client/device.h>

#define PART 1024u	 /* events that one call reads */
#define PARTS 64u	 /* calls in a row for one CPU */
#define PAUSE_NS 2000000 /* between two reads of the rings */
#define BEGIN_SECONDS 1	 /* for jobs that were under way before */
#define END_SECONDS 0.5	 /* for a thread that seems stuck */
#define LOOKS 10	 /* reads between two looks at the accounts */

struct watch {
	struct check *check;
	int fd;
	const char *root;
	struct timeline *timeline; /* of each CPU */
	uint64_t position[LIMPET_CPUS_MAX];
};

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void pause_shortly(void)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	nanosleep(&pause, NULL);
}

/* --- Events */

static uint32_t events_read_part(struct watch *watch, unsigned int cpu)
{
	static struct limpet_trace_event part[PART];
	struct limpet_ioc_trace read = { .cpu = cpu,
					 .count = PART,
					 .buffer = (uintptr_t)part,
					 .position = watch->position[cpu] };

	if (limpet_trace_read(watch->fd, &read) < 0) {
		watch->check->ended = true;
		return 0;
	}
	watch->position[cpu] = read.position;
	watch->check->lost += read.lost;
	timeline_put(&watch->timeline[cpu], part, read.count, read.lost);
	return read.count;
}

static void events_read(struct watch *watch)
{
	for (unsigned int cpu = 0; watch->check->traced && cpu < watch->check->snapshot.info.cpus;
	     cpu++)
		for (unsigned int parts = 0; parts < PARTS; parts++)
			if (events_read_part(watch, cpu) < PART)
				break;
}

/* Switches the trace on. A system without rings is checked without events. */
static int events_begin(struct watch *watch)
{
	const unsigned int cpus = watch->check->snapshot.info.cpus;
	int error;

	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		struct limpet_ioc_trace read = { .cpu = cpu, .position = UINT64_MAX };

		error = limpet_trace_read(watch->fd, &read);
		if (error < 0)
			return error == -ENOENT ? 0 : error;
		watch->position[cpu] = read.position;
	}
	error = limpet_trace(watch->fd, TIMELINE_KINDS);
	watch->check->traced = error >= 0;
	return error == -ENOENT || error >= 0 ? 0 : error;
}

/* --- Accounts */

const struct limpet_job_times *check_worst(const struct check *check,
					   const struct check_thread *thread)
{
	return check->late_ns && check_ns(check, thread->now.late.max) > check->late_ns
		       ? &thread->now.late
		       : &thread->now.response;
}

/* Analyses a new worst job. Its last event may not be in the ring yet; then the next look tries again. */
static void job_analyze(struct watch *watch, struct check_thread *thread)
{
	const struct limpet_job_times *worst = check_worst(watch->check, thread);

	if (worst->max == thread->analyzed)
		return;
	events_read(watch);
	timeline_take(thread->sum, &watch->timeline[thread->cpu], worst->longest,
		      worst->longest + worst->max);
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
		if (now.count < thread->before.count) /* the thread was started again */
			memset(&thread->before, 0, sizeof(thread->before));
		if (now.count == thread->before.count || now.clear)
			continue;
		thread->now = now;
		job_analyze(watch, thread);
	}
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
	return !check->thread ? -ENOMEM : !check->threads ? -ENOENT : 0;
}

/* Clears the maxima. They are those of the jobs that begin from now on. */
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

/* Returns 1 while some thread's job that was under way at maxima_clear() has not ended, else 0, or an error. */
static int accounts_wait(struct watch *watch)
{
	struct check *check = watch->check;
	int waits = 0;

	for (unsigned int i = 0; i < check->threads; i++) {
		struct check_thread *thread = &check->thread[i];
		int error = limpet_jobs(watch->fd, thread->cpu, thread->id, false, &thread->before);

		if (error < 0)
			return error;
		thread->now = thread->before;
		waits |= (int)thread->before.clear;
	}
	return waits;
}

/* A thread whose job does not end is not waited for. */
static int accounts_begin(struct watch *watch)
{
	const double until = seconds_now() + BEGIN_SECONDS;
	int error = maxima_clear(watch);

	while (!error && (error = accounts_wait(watch)) > 0 && seconds_now() < until) {
		pause_shortly();
		error = 0;
	}
	return error < 0 ? error : 0;
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
	watch->timeline = calloc(info->cpus, sizeof(*watch->timeline));
	if (!check->before || !check->after || !watch->timeline)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < info->cpus; cpu++)
		check->priority[cpu] =
			info->mode == LIMPET_MODE_BENEATH
				? PRIORITY_NONE
				: machine_priority(watch->root, info->host_pid, info->cpu[cpu]);
	machines_read(watch, check->before);
	return 0;
}

/* --- The whole */

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
	const double begin = seconds_now();
	unsigned int looks = 0;

	while (!interrupted && !check->ended && seconds_now() < begin + seconds) {
		pause_shortly();
		events_read(watch);
		if (++looks % LOOKS == 0)
			accounts_read(watch);
		progress_print(seconds_now() - begin, seconds);
	}
	if (!check->ended)
		accounts_read(watch);
	progress_clear();
	check->seconds = seconds_now() - begin;
}

/* A thread whose last job does not end: who had the CPU last, for some of its periods? */
static void stuck_analyze(struct watch *watch, struct check_thread *thread)
{
	const uint64_t end = timeline_end(&watch->timeline[thread->cpu]);
	const uint64_t span = CHECK_STUCK * thread->period;

	if (end > span)
		timeline_take(thread->sum, &watch->timeline[thread->cpu], end - span, end);
}

/* Whether a thread is stuck whose last job has not been seen to end. */
static bool stuck_any(struct watch *watch)
{
	struct check *check = watch->check;
	bool stuck = false;

	machines_read(watch, check->after);
	for (unsigned int i = 0; i < check->threads; i++)
		if (check_stuck(check, &check->thread[i])) {
			stuck_analyze(watch, &check->thread[i]);
			stuck = true;
		}
	return stuck;
}

/* A thread can seem stuck while Linux has the CPU for a moment, so it gets some time to go on. */
static void end_read(struct watch *watch)
{
	struct check *check = watch->check;
	const double until = seconds_now() + END_SECONDS;
	struct limpet_stat stat;

	pause_shortly();
	accounts_read(watch);
	while (stuck_any(watch) && !check->ended && seconds_now() < until) {
		pause_shortly();
		events_read(watch);
		accounts_read(watch);
	}
	if (limpet_stat(watch->fd, &stat) < 0) {
		check->ended = true;
		return;
	}
	states_take(check, &stat);
	limpet_stat_free(&stat);
}

static int watch_run(struct watch *watch, double seconds)
{
	const struct sigaction action = { .sa_handler = interrupt };
	int error = threads_find(watch->check);

	if (!error)
		error = machines_begin(watch);
	if (!error)
		error = events_begin(watch);
	if (!error)
		error = accounts_begin(watch);
	if (error)
		return error;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	collect(watch, seconds);
	end_read(watch);
	limpet_trace(watch->fd, 0);
	return 0;
}

int check_watch(struct check *check, int fd, const char *root, double seconds)
{
	struct watch watch = { .check = check, .fd = fd, .root = root };
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
}
