// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/text.h>
#include <cli/command/tun/tun.h>
#include <limpet/image.h>
#include <limpet/node.h>

#define INTERFACE_MAX 15  /* maximum bytes of its name */
#define PAUSES_REPORT 100 /* pauses after which the cause of the delay is reported */

struct plan {
	const char *channel, *interface;
	long priority; /* 0: not real-time */
};

static int report_channel(const struct plan *plan, int error)
{
	if (error == -ENOENT)
		return report("No running system has a channel '%s'. See `ls %s`.", plan->channel,
			      LIMPET_NODES);
	if (error == -EBUSY)
		return report(
			"Channel '%s': Another process has the channel open. End that process first.",
			plan->channel);
	if (error == -EPROTO)
		return report(
			"Channel '%s' does not carry messages in both directions. Set mode = \"messages\" and "
			"direction = \"both\" in its [[channel]].",
			plan->channel);
	if (error == -ENOTTY)
		return report(
			"Channel '%s': The module has another version. Run `limpet detach`, then `limpet attach`.",
			plan->channel);
	return report("Channel '%s': %s", plan->channel, strerror(-error));
}

static int report_tap(const struct plan *plan, int error)
{
	if (error == -ENOENT || error == -ENODEV)
		return report("/dev/net/tun does not exist. Run `modprobe tun`.");
	if (error == -EBUSY)
		return report(
			"Interface '%s' belongs to another program. Choose another one with --interface.",
			plan->interface);
	if (error == -EBADFD)
		return report("Interface '%s' was deleted. Run `limpet tun` again.",
			      plan->interface);
	return report("Interface '%s': %s", plan->interface, strerror(-error));
}

static int real_time(long priority)
{
	struct sched_param parameters = { .sched_priority = (int)priority };
	int error;

	if (!priority)
		return COMMAND_OK;
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return report("--priority %ld: %s", priority, strerror(errno));
	error = pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters);
	if (error)
		return report("--priority %ld: %s", priority, strerror(error));
	return COMMAND_OK;
}

/* Returns the open channel, or a negative errno. */
static int channel_open(const char *name)
{
	char path[sizeof(LIMPET_NODES) + LIMPET_NAME_MAX];
	int channel;

	snprintf(path, sizeof(path), LIMPET_NODES "%s", name);
	channel = open(path, O_RDWR | O_CLOEXEC);
	return channel < 0 ? -errno : channel;
}

/* The interface of a restarting component appears after a moment. */
static int channel_again(const char *name)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	int channel;

	for (unsigned int pauses = 1; (channel = channel_open(name)) == -ENXIO; pauses++) {
		if (pauses == PAUSES_REPORT)
			report("Channel '%s': Waiting for its component, which has not started. See `limpet log`.",
			       name);
		nanosleep(&pause, NULL);
	}
	return channel;
}

static int takes_frames(int channel)
{
	struct limpet_node_info info;

	if (ioctl(channel, LIMPET_NODE_INFO, &info))
		return -errno;
	if (info.version != LIMPET_NODE_VERSION)
		return -ENOTTY;
	return info.mode == LIMPET_CHANNEL_MESSAGES && info.to_linux && info.to_component ? 0
											  : -EPROTO;
}

/*
 * Carries frames until the system ends. Opens the channel again after each restart of the component. Closes `channel`.
 */
static int carry(const struct plan *plan, int *tap, int channel)
{
	int error = takes_frames(channel);

	if (!error) {
		printf("interface %s, channel %s\n", plan->interface, plan->channel);
		fflush(stdout);
	}
	while (!error) {
		error = tap_carry(tap, channel);
		close(channel);
		if (error)
			return report_tap(plan, error);
		channel = channel_again(plan->channel);
		if (channel < 0)
			return channel == -ENOENT ? COMMAND_OK : report_channel(plan, channel);
	}
	close(channel);
	return report_channel(plan, error);
}

static int run(const struct plan *plan, int *tap)
{
	int channel = channel_again(plan->channel);

	return channel < 0 ? report_channel(plan, channel) : carry(plan, tap, channel);
}

static int tun(const struct plan *plan)
{
	int tap = tap_open(plan->interface);
	int code;

	if (tap < 0)
		return report_tap(plan, tap);
	code = real_time(plan->priority);
	if (code == COMMAND_OK)
		code = run(plan, &tap);
	close(tap);
	return code;
}

static bool parse_names(const struct command *command, struct plan *plan, int *code)
{
	if (!plan->interface)
		plan->interface = plan->channel;
	if (!*plan->channel || strchr(plan->channel, '/') ||
	    strlen(plan->channel) > LIMPET_NAME_MAX)
		*code = report_usage(command, "'%s' is not a valid channel name.", plan->channel);
	else if (!*plan->interface || strlen(plan->interface) > INTERFACE_MAX)
		*code = report_usage(command,
				     "'%s' is not a valid interface name of 1 to %d letters. "
				     "Choose one with --interface.",
				     plan->interface, INTERFACE_MAX);
	else
		return true;
	return false;
}

static int tun_main(const struct command *command, int argc, char **argv)
{
	struct plan plan = { 0 };
	const struct command_option options[] = {
		OPTION_TEXT("interface", &plan.interface),
		OPTION_NUMBER("priority", &plan.priority, 1, 99, NULL),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options,
			  (struct command_arguments){ 1, 1, "CHANNEL" }, &code))
		return code;
	plan.channel = argv[optind];
	return parse_names(command, &plan, &code) ? tun(&plan) : code;
}

const struct command tun_command = {
	.name = "tun",
	.summary = "connects a channel to a TAP device",
	.arguments = "CHANNEL [--interface NAME] [--priority P]",
	.help = "\n"
		"The command runs until the system ends, or until it is killed. The channel must have mode\n"
		"messages and both directions. A message is an Ethernet frame, see <limpet/network.h>. The\n"
		"link is up while the component has the channel open. Linux's module tun is needed.\n\n"
		"  --interface NAME  name of the TAP device (the channel's name)\n"
		"  --priority P      real-time priority of this process, which transfers the frames, 1 to 99\n"
		"                    (none)\n",
	.run = tun_main,
};
