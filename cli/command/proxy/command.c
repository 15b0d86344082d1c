// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/command/proxy/can.h>
#include <cli/command/proxy/loop.h>
#include <cli/common/report.h>
#include <limpet/node.h>

#define PAUSE_NS 100000000
#define PAUSES_REPORT 20 /* pauses after which the cause of the delay is reported */

#define CAN_PREFIX "can:"

static struct serve serve;
static struct can_bus bus;
static bool is_can; /* the channel is of component `can`, not of `files` */

static void pause_short(void)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	nanosleep(&pause, NULL);
}

/* Returns whether the error means that the system or its component does not run yet. */
static bool comes_later(int error)
{
	return error == ENOENT || error == ENXIO || error == ENODEV || error == EPIPE;
}

/*
 * Opens the channel. Returns its descriptor, or a negative errno. Waits for the channel if `wait`
 * is set.
 */
static int channel_open(const char *name, bool wait)
{
	char path[sizeof(LIMPET_NODES) + 64];
	int fd;

	snprintf(path, sizeof(path), "%s%s", LIMPET_NODES, name);
	for (unsigned int pauses = 1; (fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)) < 0;
	     pauses++) {
		/* ENXIO: the component is starting or restarting. */
		if (errno != ENXIO && !(wait && comes_later(errno)))
			return -errno;
		if (errno == ENXIO && pauses == PAUSES_REPORT)
			report("%s: Waiting for the channel's component, which has not started. See `limpet log`.",
			       path);
		pause_short();
	}
	return fd;
}

static int report_channel(const char *name, int error)
{
	if (error == -ENOENT)
		return report(
			"%s%s: No system with this channel runs. Start one with `limpet run`, or let the proxy "
			"wait with --wait.",
			LIMPET_NODES, name);
	if (error == -EBUSY)
		return report("%s%s: Another process has the channel open. End that process first.",
			      LIMPET_NODES, name);
	if (error == -EMSGSIZE && is_can)
		return report(
			"%s%s: The channel's component sends other messages than CAN frames. Name the channel of "
			"component can.",
			LIMPET_NODES, name);
	return report("%s%s: %s", LIMPET_NODES, name, strerror(-error));
}

/* Serves until the system ends, or without limit with --wait. */
static int proxy(const char *name, bool wait)
{
	bool served = false;

	for (;;) {
		int fd = channel_open(name, wait);
		int error;

		if (fd == -ENOENT && served)
			return COMMAND_OK;
		if (fd < 0)
			return report_channel(name, fd);
		error = is_can ? can_serve(&bus, fd) : loop_serve(&serve, fd);
		close(fd);
		if (error)
			return report_channel(name, error);
		served = true;
		pause_short();
	}
}

static int bus_open(const char *interface)
{
	char error[REPORT_LINE];

	is_can = true;
	return can_open(&bus, interface, error, sizeof(error)) ? COMMAND_OK : report("%s", error);
}

static int make_offers(const struct command *command, int argc, char **argv)
{
	char error[REPORT_LINE];

	if (argc - optind == 2 && !strncmp(argv[optind + 1], CAN_PREFIX, strlen(CAN_PREFIX)) &&
	    argv[optind + 1][strlen(CAN_PREFIX)])
		return bus_open(argv[optind + 1] + strlen(CAN_PREFIX));
	serve_begin(&serve);
	for (int i = optind + 1; i < argc; i++) {
		struct offer *offer = &serve.offer[serve.offers];

		if (!offer_make(offer, argv[i], error, sizeof(error)))
			return offer->path ? report("%s", error)
					   : report_usage(command, "%s", error);
		serve.offers++;
		for (unsigned int other = 0; other + 1 < serve.offers; other++)
			if (serve.offer[other].length == offer->length &&
			    !memcmp(serve.offer[other].name, offer->name, offer->length))
				return report_usage(
					command,
					"%s: The name is offered twice. Choose another one.",
					argv[i]);
	}
	return COMMAND_OK;
}

static int proxy_main(const struct command *command, int argc, char **argv)
{
	bool wait = false;
	const struct command_option options[] = {
		OPTION_FLAG("wait", &wait),
		OPTION_END,
	};
	const struct command_arguments arguments = { 2, 1 + SERVE_OFFERS, "A channel or an offer" };
	int code;

	if (!options_take(command, argc, argv, options, arguments, &code))
		return code;
	if (strchr(argv[optind], '/') || strlen(argv[optind]) >= 64)
		return report_usage(command, "'%s' is not a valid channel name.", argv[optind]);
	code = make_offers(command, argc, argv);
	return code ? code : proxy(argv[optind], wait);
}

const struct command proxy_command = {
	.name = "proxy",
	.summary = "offers files, serial ports or a CAN bus to components",
	.arguments = "[--wait] CHANNEL NAME=ACCESS:PATH...|can:INTERFACE",
	.help = "Offers files, folders and serial ports to the components that the system file lets open them,\n"
		"through a channel that component `files` owns. ACCESS is r, w or rw, for a serial port also\n"
		"with a speed: rw,115200. Only offered files can be opened.\n"
		"With can:INTERFACE it carries frames between the CAN interface and the component `can` that owns\n"
		"the channel.\n"
		"The command ends when the system ends.\n\n"
		"  --wait   wait for the system at the start, and each time that it has ended\n",
	.run = proxy_main,
};
