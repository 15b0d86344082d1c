// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limpet/node.h>

#include <cli/command/bridge/port.h>
#include <cli/common/report.h>

static int node_open(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", strchr(name, '/') ? "" : LIMPET_NODES, name);
	return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
}

/* Returns NULL, or the reason why the node cannot be used. Accepts any FIFO. */
static const char *node_wrong(int fd)
{
	struct limpet_node_info info;
	struct stat stat;

	if (!fstat(fd, &stat) && S_ISFIFO(stat.st_mode))
		return NULL;
	if (ioctl(fd, LIMPET_NODE_INFO, &info) || info.version != LIMPET_NODE_VERSION)
		return "the module has another version than this command. Install both from the same build.";
	if (info.mode != LIMPET_CHANNEL_MESSAGES)
		return "the channel does not have mode messages. Correct the system file.";
	return NULL;
}

/* Returns whether the error means that the system or its component does not run yet. */
static bool port_not_started(int error)
{
	return error == ENOENT || error == ENXIO || error == ENODEV || error == EPIPE;
}

/* Reports why the port cannot be opened. Returns whether it can be opened later. */
static bool port_report(struct port *port, int error)
{
	if (port_not_started(error)) {
		if (port->reported != error)
			report("%s: Waiting for the channel, because %s.", port->name,
			       error == ENXIO ? "its component has not started"
					      : "no system with this channel runs");
		port->reported = error;
		return true;
	}
	if (error == EBUSY)
		report("%s: Another process has the channel open. End that process first.",
		       port->name);
	else
		report("%s: %s", port->name, strerror(error));
	return false;
}

bool port_open(struct port *port)
{
	const char *wrong;
	int fd;

	if (port->fd >= 0)
		return true;
	fd = node_open(port->name);
	if (fd < 0)
		return port_report(port, errno);
	wrong = node_wrong(fd);
	if (wrong) {
		report("%s: %s", port->name, wrong);
		close(fd);
		return false;
	}
	port->fd = fd;
	port->ended = false;
	port->reported = 0;
	if (port->connects++)
		report("%s: The channel is connected again.", port->name);
	return true;
}

static void port_close(struct port *port)
{
	report("%s: The component has stopped or the system has ended. Messages to the component that "
	       "were in the channel are lost.",
	       port->name);
	close(port->fd);
	port->fd = -1;
}

ssize_t port_read(struct port *port, void *message, size_t size)
{
	ssize_t length;

	if (port->fd < 0)
		return -1;
	length = read(port->fd, message, size);
	if (length < 0 && errno != EAGAIN && errno != EINTR)
		port_close(port);
	return length;
}

bool port_write(struct port *port, const void *message, size_t size)
{
	if (port->fd < 0 || port->ended)
		return false;
	if (write(port->fd, message, size) == (ssize_t)size)
		return true;
	if (errno != EAGAIN && errno != EINTR)
		port_hang_up(port);
	return false;
}

void port_hang_up(struct port *port)
{
	if (port->reads)
		port->ended = true;
	else
		port_close(port);
}
