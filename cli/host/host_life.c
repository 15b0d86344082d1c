// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include <cli/common/finish.h>
#include <cli/common/kernel_log.h>
#include <cli/common/report.h>
#include <cli/common/system.h>
#include <client/device.h>

#include "boot.h"
#include "console.h"
#include "crew.h"
#include "fault_log.h"
#include "host_life.h"
#include "log_file.h"
#include "process.h"
#include "witness.h"

#define GRACE_MS 30	    /* a system that ends within this time did not start */
#define BOOT_LOOK_MS 5	    /* interval of the checks whether the booters have finished */
#define BOOT_MAX_MS 10000   /* a booter that takes longer counts as running */
#define WORDS_MAX_MS 1000   /* maximum time until Linux's log contains the booter's last message */
#define CHANNEL_RETRY_MS 20 /* interval of attempts to open a console's channel */
#define DATE_READINGS 5
#define FINISH_MS 20   /* interval of checks of components that finish */
#define FAULTS_MS 1000 /* interval of checks for faults, which take some CPU time */
#define LOOK_MS 200 /* the same in beneath mode, which also checks whether the system still runs */

struct host {
	const struct host_plan *plan;
	int fd;		/* the device; in beside mode, closing it ends the system */
	bool lends;	/* beside mode: threads lend their CPUs */
	int signals;	/* descriptor of process_signals() */
	int kernel_log; /* Linux's log since the system was loaded */
	struct crew crew;
	struct log_names log_names;
	struct log_file log;
	struct fault_log faults;
	struct witness witness;
	struct console console[LIMPET_CPUS_MAX];
	bool stopping;	/* a signal to stop the system has arrived */
	bool leaving;	/* beneath mode: the system continues without this process */
	bool finishing; /* components are finishing before the system is stopped */
	struct finish finish;
	char error[REPORT_LINE];
};

/* Stores the reason why the host cannot continue. */
#define FAIL(host, ...) (report_line((host)->error, sizeof((host)->error), __VA_ARGS__), false)

static bool host_prepare(struct host *host)
{
	const char *what;
	int error = -witness_start(&host->witness, host->plan);

	if (error)
		return FAIL(host, "The host process cannot start its witness: %s", strerror(error));
	error = process_prepare(&what);
	if (error)
		return FAIL(host, "The host process failed: %s: %s. Run the command as root.", what,
			    strerror(error));
	host->signals = process_signals();
	error = crew_init(&host->crew);
	if (host->signals < 0 || error)
		return FAIL(host, "The host process failed: %s",
			    strerror(error ? error : -host->signals));
	host->fd = limpet_open();
	if (host->fd < 0)
		return FAIL(host, "%s: %s. Run `limpet attach` first.", LIMPET_DEVICE,
			    strerror(-host->fd));
	return true;
}

static bool host_runs(const struct host *host)
{
	struct limpet_ioc_info info;

	return !limpet_info(host->fd, &info) && info.state == LIMPET_STATE_RUNNING;
}

/* Stores Linux's real time in an image, for programs. Uses the reading that took the shortest time. */
static void image_date(struct limpet_image *image)
{
	uint64_t min = UINT64_MAX;

	for (int i = 0; i < DATE_READINGS; i++) {
		uint64_t before = __builtin_ia32_rdtsc(), after;
		struct timespec now;

		clock_gettime(CLOCK_REALTIME, &now);
		after = __builtin_ia32_rdtsc();
		if (after - before >= min)
			continue;
		min = after - before;
		image->real_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
		image->real_stamp = before + min / 2;
	}
}

static bool host_load(struct host *host)
{
	const struct host_plan *plan = host->plan;
	struct limpet_ioc_info info = { 0 };
	struct limpet_ioc_load load = {
		.image = (uintptr_t)plan->image,
		.size = plan->image_size,
		.cpus = plan->cpus,
		.linux_share = plan->linux_share,
		.early_us = plan->early_us,
	};
	int error;

	host->kernel_log = kernel_log_open();
	limpet_info(host->fd, &info);
	host->lends = info.mode == LIMPET_MODE_BESIDE;
	if (!plan->image)
		return host_runs(host) || FAIL(host, "%s does not run any more.", plan->name);
	image_date(plan->image);
	memcpy(load.cpu, plan->cpu, sizeof(load.cpu));
	if (!ioctl(host->fd, LIMPET_IOC_LOAD, &load))
		return true;
	error = errno;
	load.error[sizeof(load.error) - 1] = 0;
	return FAIL(host, "%s: %s", plan->name, *load.error ? load.error : strerror(error));
}

/* Must be called after the system was loaded, because before that another host process may write to the log. */
static bool host_open_log(struct host *host)
{
	struct limpet_ioc_info info = { 0 };
	int error = limpet_info(host->fd, &info);

	host->log_names = log_names_of(info.id);
	if (!error)
		error = log_file_open(&host->log, LOG_FOLDER, host->log_names.now,
				      host->log_names.old);
	if (error)
		return FAIL(host, "%s: %s", host->log_names.now, strerror(-error));
	witness_log(&host->witness, info.id);
	host->log.system = host->plan->name;
	host->log.copy.out = host->plan->foreground ? stdout : NULL;
	fault_log_begin(&host->faults, host->fd, !host->plan->image);
	for (unsigned int i = 0; i < host->plan->cpus; i++)
		console_init(&host->console[i], info.id, i);
	return true;
}

/* Stores the reason why the system has ended, after a thread has left. */
static bool host_ended(struct host *host)
{
	const struct host_thread *failed = crew_failed(&host->crew);
	const char *name = host->plan->name;
	struct limpet_ioc_info info;

	if (failed)
		return FAIL(host, "%s: host thread of CPU %u: %s: %s", name, failed->linux_cpu,
			    failed->failed, strerror(failed->error));
	if (limpet_info(host->fd, &info))
		info.end_reason = LIMPET_END_NONE;
	if (info.end_reason == LIMPET_END_STOP)
		return FAIL(host, "%s was stopped", name);
	return FAIL(host, "%s: The system ended: %s. See `dmesg` and `limpet log`.", name,
		    limpet_end_words(info.end_reason));
}

/* Stores the reason why the system did not start, which is the booter's message if it has printed one. */
static bool host_failed(struct host *host)
{
	char words[REPORT_LINE];

	for (int ms = 0; !crew_failed(&host->crew) && ms < WORDS_MAX_MS; ms += GRACE_MS) {
		if (kernel_log_find(host->kernel_log, "booter: ", words, sizeof(words)))
			return FAIL(host, "%s: %s", host->plan->name, words);
		crew_wait(&host->crew, GRACE_MS);
	}
	return host_ended(host);
}

/*
 * Returns whether the system runs. In beside mode it has ended when a host thread has left. In
 * beneath mode the layer reports it.
 */
static bool host_continues(const struct host *host)
{
	return host->lends ? !crew_reached(&host->crew, HOST_THREAD_LEFT) : host_runs(host);
}

/* Opens the consoles' channels. Returns the milliseconds until the next attempt, or -1 if all are open. */
static int host_bind_consoles(struct host *host)
{
	int wait = -1;

	for (unsigned int i = 0; i < host->plan->cpus; i++)
		if (!console_bind(&host->console[i]))
			wait = CHANNEL_RETRY_MS;
	return wait;
}

/* Returns whether the booter of every CPU has finished and the system still runs. Otherwise stores the reason. */
static bool host_boot(struct host *host)
{
	struct limpet_stat stat;
	bool booting = true;

	for (int ms = 0; booting && host_continues(host) && ms < BOOT_MAX_MS; ms += BOOT_LOOK_MS) {
		crew_wait(&host->crew, BOOT_LOOK_MS);
		/*
		 * The consoles are opened during boot, because nodes are removed with their system, but open files
		 * stay.
		 */
		host_bind_consoles(host);
		booting = limpet_stat(host->fd, &stat) < 0 || boot_continues(&stat);
		limpet_stat_free(&stat);
	}
	while (host_continues(host) && crew_wait(&host->crew, GRACE_MS))
		;
	return host_continues(host) || host_failed(host);
}

static bool host_start(struct host *host)
{
	struct crew *crew = &host->crew;
	int error;

	if (!host->lends)
		return host_boot(host);
	error = crew_start(crew, host->fd, host->plan);
	if (error)
		return FAIL(host, "%s: A host thread cannot be started: %s", host->plan->name,
			    strerror(error));
	while (crew_reached(crew, HOST_THREAD_ENTERED) < crew->count)
		crew_wait(crew, -1);
	return host_boot(host);
}

static void host_drain(struct host *host)
{
	for (unsigned int i = 0; i < host->plan->cpus; i++)
		console_drain(&host->console[i], &host->log);
	fault_log_look(&host->faults, host->fd, host->plan->cpus, &host->log);
}

/* Reads a console to its end after a restart or the end of its system, and closes it. It is opened again later. */
static void host_reopen(struct host *host, struct console *console)
{
	console_drain(console, &host->log);
	console_close(console);
}

static void host_say(void *to, const char *line)
{
	struct host *host = to;

	log_file_note(&host->log, "%s", line);
}

/*
 * Returns whether the system continues after the signal: in beneath mode, if another process becomes the host, or if
 * reload-linux restarts Linux. An orderly restart sends SIGTERM to all processes.
 */
static bool host_leaves(struct host *host, unsigned int number)
{
	if (host->lends || (number != PROCESS_REPLACE && !linux_is_reloaded(host->fd)))
		return false;
	report_line(host->error, sizeof(host->error),
		    number == PROCESS_REPLACE
			    ? "another host process replaces this one, and %s continues"
			    : "`limpet reload-linux` restarts Linux, and %s continues",
		    host->plan->name);
	return true;
}

/* The first signal asks components to finish before the system is stopped. Another one stops it immediately. */
static void host_take_signal(struct host *host)
{
	struct signalfd_siginfo info;

	if (read(host->signals, &info, sizeof(info)) != sizeof(info))
		return;
	host->leaving = host_leaves(host, info.ssi_signo);
	if (host->leaving || info.ssi_signo == PROCESS_REPLACE)
		return;
	log_file_note(&host->log, "signal %u: stopping %s", info.ssi_signo, host->plan->name);
	if (!host->stopping) {
		host->finish = (struct finish){ .say = host_say, .to = host };
		finish_begin(&host->finish, host->fd, STOP_GRACE);
	}
	host->finishing = !host->stopping;
	host->stopping = true;
	if (!host->finishing)
		limpet_stop(host->fd);
}

/* Stops the system as soon as its components have finished. */
static void host_finish(struct host *host)
{
	if (!host->finishing || !finish_step(&host->finish))
		return;
	host->finishing = false;
	limpet_stop(host->fd);
}

/* Sleeps until text or a signal arrives, a thread leaves, or `ms` milliseconds have passed. */
static void host_wait(struct host *host, int ms)
{
	struct pollfd polls[2 + LIMPET_CPUS_MAX] = {
		{ .fd = host->crew.event, .events = POLLIN },
		{ .fd = host->signals, .events = POLLIN },
	};

	for (unsigned int i = 0; i < host->plan->cpus; i++)
		polls[2 + i] = (struct pollfd){
			.fd = host->console[i].bound ? host->console[i].channel.fd : -1,
			.events = POLLIN,
		};
	if (poll(polls, 2 + host->plan->cpus, ms) <= 0)
		return;
	for (unsigned int i = 0; i < host->plan->cpus; i++)
		if (polls[2 + i].revents & (POLLHUP | POLLERR))
			host_reopen(host, &host->console[i]);
	if (polls[0].revents)
		crew_wait(&host->crew, 0);
	if (polls[1].revents)
		host_take_signal(host);
}

/*
 * Writes the log until all host threads have left, or in beneath mode until the system has ended or this process is to
 * end without it.
 */
static void host_follow(struct host *host)
{
	const struct crew *crew = &host->crew;
	int wait;

	while (host->lends ? crew_reached(crew, HOST_THREAD_LEFT) < crew->count
			   : !host->leaving && host_runs(host)) {
		wait = host_bind_consoles(host);
		host_drain(host);
		host_finish(host);
		if (host->finishing)
			wait = FINISH_MS;
		host_wait(host, wait >= 0 ? wait : host->lends ? FAULTS_MS : LOOK_MS);
	}
}

/* Stores the components' last messages, and closes the log. */
static void host_close(struct host *host)
{
	if (host->log.fd > 0) {
		host_bind_consoles(host);
		host_drain(host);
		log_file_note(&host->log, "%s", host->error);
		fault_log_end(&host->faults);
		for (unsigned int i = 0; i < host->plan->cpus; i++)
			console_close(&host->console[i]);
	}
	kernel_log_close(host->kernel_log);
	if (host->stopping)
		finish_end(&host->finish);
	if (host->fd >= 0)
		close(host->fd);
	witness_end(&host->witness);
}

int host_live(const struct host_plan *plan, void (*report_start)(void *to, const char *line),
	      void *to)
{
	static struct host host;
	struct limpet_ioc_info info;
	bool stopped;

	host.plan = plan;
	host.kernel_log = -1;
	host.witness.pipe = -1;
	host.fd = -1;
	if (!host_prepare(&host) || !host_load(&host) || !host_open_log(&host) ||
	    !host_start(&host)) {
		if (host.crew.count)
			limpet_stop(host.fd); /* makes the threads leave that have entered */
		host_close(&host);
		report_start(to, host.error);
		return 1;
	}
	log_file_note(&host.log, "%s runs", plan->name);
	report_start(to, NULL);
	host_follow(&host);
	if (!host.leaving)
		host_ended(&host);
	stopped = host.leaving ||
		  (!limpet_info(host.fd, &info) && info.end_reason == LIMPET_END_STOP);
	host_close(&host);
	return !stopped;
}
