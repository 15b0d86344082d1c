// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/command.h>
#include <cli/command/run/devices.h>
#include <cli/command/run/guests.h>
#include <cli/host/host_life.h>
#include <cli/host/process.h>
#include <cli/common/image.h>
#include <cli/common/notify.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/system.h>
#include <cli/common/text.h>
#include <client/device.h>

#define PRIORITY 90 /* SCHED_FIFO; above Linux's threaded interrupts, below its watchdogs */
/*
 * Per mille. Linux's real-time throttling reserves 50 for ordinary tasks. Linux's own real-time
 * threads, on PREEMPT_RT those of interrupts and timers, get the other 50.
 */
#define LINUX_SHARE 100
#define EARLY_US 20 /* maximum; the latency of an idle CPU's wake-ups usually varies less */

struct run {
	struct host_plan plan;
	bool adopt;
};

#define DIGITS(number) #number
#define CPUS_WORDS(max) "at most " DIGITS(max) " numbers of CPUs with commas between, such as 0,1"
#define CPUS_VALID CPUS_WORDS(LIMPET_CPUS_MAX)

/* Parses numbers of CPUs, such as "0,2", into the plan. */
static bool cpus_take(void *to, const char *text)
{
	struct host_plan *plan = to;
	char *copy = strdup(text);
	char *rest = copy;
	bool ok = copy;
	char *word;
	long cpu;

	plan->cpus = 0;
	while (ok && (word = strsep(&rest, ","))) {
		ok = plan->cpus < LIMPET_CPUS_MAX && text_number(word, 0, 8191, &cpu);
		if (ok)
			plan->cpu[plan->cpus++] = (unsigned int)cpu;
	}
	free(copy);
	return ok;
}

static bool parse(struct run *run, const struct command *command, int argc, char **argv, int *code)
{
	struct host_plan *plan = &run->plan;
	const struct command_arguments arguments = { 1, 1, "The image" };
	long priority = PRIORITY, linux_share = LINUX_SHARE, early_us = EARLY_US;
	const struct command_option options[] = {
		OPTION_TAKE("cpus", cpus_take, plan, CPUS_VALID),
		OPTION_NUMBER("priority", &priority, 1, 99, NULL),
		OPTION_NUMBER("linux-share", &linux_share, 0, 900, " per mille"),
		OPTION_NUMBER("early", &early_us, 0, LIMPET_EARLY_MAX, " µs"),
		OPTION_FLAG("foreground", &plan->foreground),
		OPTION_FLAG("adopt", &run->adopt),
		OPTION_END,
	};

	*run = (struct run){ 0 };
	if (!options_take(command, argc, argv, options, arguments, code))
		return false;
	plan->priority = (int)priority;
	plan->linux_share = (unsigned int)linux_share;
	plan->early_us = (unsigned int)early_us;
	return true;
}

/* Sets the parts of the plan that depend on the image. */
static bool plan_image(struct host_plan *plan, const struct image *image)
{
	unsigned int cpus = image_header(image)->cpus;

	plan->name = image_system_name(image);
	plan->image = image->bytes;
	plan->image_size = image->size;
	if (!plan->cpus)
		for (; plan->cpus < cpus; plan->cpus++)
			plan->cpu[plan->cpus] = plan->cpus;
	if (plan->cpus == cpus)
		return true;
	report("%s: The system was made for %u CPUs, but --cpus names %u. Name as many CPUs as the "
	       "system has.",
	       plan->name, cpus, plan->cpus);
	return false;
}

/*
 * Returns whether the device can be opened, the executives can have guests, and the components can have their parts of
 * the machine. Skips the last check if a system runs, which may have these parts. Loading then reports a conflict.
 */
static bool machine_is_ready(const struct image *image)
{
	struct limpet_ioc_info info;
	int fd = limpet_open();
	int error;

	if (fd < 0) {
		report_no_device(fd);
		return false;
	}
	error = limpet_info(fd, &info);
	close(fd);
	if (error < 0)
		return true;
	return guests_possible(image, info.mode) &&
	       (info.state == LIMPET_STATE_RUNNING || devices_possible(image, info.mode, ""));
}

static void report_to_terminal(void *to, const char *line)
{
	(void)to;
	if (line)
		report("%s", line);
	else
		notify_systemd("READY=1");
}

/* Returns the CPUs of the system with the plan's name that runs in beneath mode, or 0 if there is none. */
static unsigned int running_cpus(const struct host_plan *plan)
{
	char name[LIMPET_NAME_MAX] = "";
	struct limpet_ioc_info info;
	int fd = limpet_open();
	bool runs;

	if (fd < 0)
		return 0;
	runs = !limpet_info(fd, &info) && info.mode == LIMPET_MODE_BENEATH &&
	       info.state == LIMPET_STATE_RUNNING;
	if (runs)
		system_name(fd, name);
	close(fd);
	return runs && !strcmp(name, plan->name) ? info.cpus : 0;
}

/* Makes this process the host of the running system, instead of the present host process if there is one. */
static int adopt(struct host_plan *plan, unsigned int cpus)
{
	pid_t pid = 0;
	int error = process_replace(&pid);

	if (error)
		return report("%s: The host process %d could not be replaced: %s", plan->name, pid,
			      strerror(-error));
	plan->image = NULL;
	plan->cpus = cpus;
	return COMMAND_OK;
}

static int run_main(const struct command *command, int argc, char **argv)
{
	struct run run;
	struct host_plan *plan = &run.plan;
	struct image image;
	unsigned int cpus;
	int code;

	if (!parse(&run, command, argc, argv, &code))
		return code;
	if (!image_open(&image, argv[optind]))
		return COMMAND_REFUSED;
	if (!plan_image(plan, &image) || !machine_is_ready(&image))
		return COMMAND_REFUSED;
	cpus = run.adopt ? running_cpus(plan) : 0;
	code = cpus ? adopt(plan, cpus) : COMMAND_OK;
	if (code)
		return code;
	if (plan->foreground)
		return host_live(plan, report_to_terminal, NULL) ? COMMAND_REFUSED : COMMAND_OK;
	return host_daemon(plan);
}

const struct command run_command = {
	.name = "run",
	.summary = "starts a system of components from its image",
	.arguments =
		"IMAGE [--cpus LIST] [--priority P] [--linux-share S] [--early US] [--foreground] [--adopt]",
	.help = "\n"
		"The command returns when the system runs. The process limpet-host then provides its\n"
		"CPUs and keeps its log. `limpet stop` ends it.\n\n"
		"  --cpus LIST      Linux's numbers of the CPUs to use, 0,1 (default: the first)\n"
		"  --priority P     SCHED_FIFO priority of the host threads, 1 to 99 (90)\n"
		"  --linux-share S  minimum share of Linux of each CPU, per mille, 0 to 900 (100)\n"
		"  --early US       wake an idle CPU early, by at most 0 to 100 us, and wait for\n"
		"                   the deadline; 0: never early (20)\n"
		"  --foreground     stay, print the log to stdout as `limpet log -f` does, and stop at\n"
		"                   SIGINT or SIGTERM. Notifies systemd when the system runs\n"
		"  --adopt          beneath mode: if a system of this name runs, become its host process\n",
	.run = run_main,
};
