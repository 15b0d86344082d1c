/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtl_fifo.h of RTLinux for Linux programs, which use /dev/rtf0 to /dev/rtf63 as files: docs/reference/fifo.md.
 *
 * ioctl() on such a file calls the module's handler of rtf_link_user_ioctl() and returns its result, or -1 with errno
 * if that is negative. The handler gets the argument's value. For a command of _IOR(), _IOW() or _IOWR() it gets a copy
 * of the bytes at the argument, which is copied back after the handler has returned. On a file without a handler, and
 * on other files, ioctl() is that of Linux. Other errors: EINTR: a signal handler has run. EPIPE: the module has
 * stopped. E2BIG: the command has more than LIMPET_RTF_IOCTL_BYTES bytes.
 */
#ifndef RTLINUX_RTL_FIFO_H
#define RTLINUX_RTL_FIFO_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <limpet/node.h>
#include <limpet/rtf_ioctl.h>

#include "rtl_conf.h"

#define RTF_NO 64
#define RTF_MAX_FIFO RTF_NO
#define RTF_SETSIZE 1

/* Returns the number of the FIFO that the descriptor has open, or -1. " (deleted)" follows the name after a stop. */
static inline int rtf_number(int fd)
{
	char link[32], path[32], rest = ' ';
	ssize_t length;
	int number;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	path[length < 0 ? 0 : length] = 0;
	if (sscanf(path, "/dev/rtf%d%c", &number, &rest) < 1 || rest != ' ' || number >= RTF_NO)
		return -1;
	return number;
}

/* Returns whether the module has created the FIFO and has not stopped. Sets errno if not. */
static inline int rtf_is_created(int fd)
{
	struct pollfd fifo = { .fd = fd };

	if (poll(&fifo, 1, 0) != 1 || !(fifo.revents & POLLHUP))
		return 1;
	errno = EPIPE;
	return 0;
}

/* Opens the channel. Waits while another process has it open. Returns a descriptor, or -1 with errno. */
static inline int rtf_channel_open(unsigned int number)
{
	const struct timespec pause = { 0, 1000000 };
	char path[sizeof(LIMPET_NODES) + sizeof(LIMPET_RTF_IOCTL) + 10];
	int fd;

	snprintf(path, sizeof(path), LIMPET_NODES LIMPET_RTF_IOCTL "%u", number);
	do
		fd = open(path, O_RDWR | O_CLOEXEC);
	while (fd < 0 && errno == EBUSY && !nanosleep(&pause, NULL));
	return fd;
}

/*
 * Sends the request and waits for its answer, which replaces it. Returns 0, or -1 with errno. The channel would wait
 * for a restart of a module that has stopped before it was opened, so this looks at the FIFO.
 */
static inline int rtf_channel_ask(int fd, int fifo, struct limpet_rtf_ioctl *request)
{
	const size_t header = offsetof(struct limpet_rtf_ioctl, data);
	struct pollfd late = { .fd = fd, .events = POLLIN };
	struct limpet_rtf_ioctl answer;
	ssize_t length;

	if (!rtf_is_created(fifo))
		return -1;
	while (poll(&late, 1, 0) == 1 && late.revents == POLLIN)
		if (read(fd, &answer, sizeof(answer)) < 0)
			return -1;
	if (write(fd, request, header + request->bytes) < 0)
		return -1;
	do {
		length = read(fd, &answer, sizeof(answer));
		if (length < 0)
			return -1;
	} while (length != (ssize_t)(header + request->bytes) || answer.id != request->id);
	*request = answer;
	return 0;
}

/*
 * Asks the component of the FIFO. Returns 0, or -1 with errno. Without a component that answers, `status` is
 * LIMPET_RTF_UNLINKED.
 */
static inline int rtf_ask(int fifo, struct limpet_rtf_ioctl *request)
{
	int fd, error, status;

	for (int number = (int)request->fifo; number >= 0; number--) {
		fd = rtf_channel_open((unsigned int)number);
		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0)
			return -1;
		status = rtf_channel_ask(fd, fifo, request);
		error = errno;
		close(fd);
		errno = error;
		if (status || request->status != LIMPET_RTF_FOREIGN)
			return status;
	}
	request->status = LIMPET_RTF_UNLINKED;
	return rtf_is_created(fifo) ? 0 : -1;
}

static inline int rtf_user_ioctl(int fd, unsigned long command, ...)
{
	struct limpet_rtf_ioctl request = { .command = (unsigned int)command };
	const size_t bytes = command >> 30 & 3 ? command >> 16 & 0x3fff
					       : 0; /* _IOC_DIR(), _IOC_SIZE() */
	const int number = rtf_number(fd);
	struct timespec now;
	va_list more;
	void *argument;

	va_start(more, command);
	argument = va_arg(more, void *);
	va_end(more);
	if (number < 0)
		return ioctl(fd, command, argument);
	if (bytes > LIMPET_RTF_IOCTL_BYTES) {
		errno = E2BIG;
		return -1;
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	request.id = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	request.argument = (uint64_t)argument;
	request.fifo = (unsigned int)number;
	request.bytes = (uint16_t)bytes;
	if (bytes)
		memcpy(request.data, argument, bytes);
	if (rtf_ask(fd, &request))
		return -1;
	if (request.status == LIMPET_RTF_UNLINKED)
		return ioctl(fd, command, argument);
	if (bytes)
		memcpy(argument, request.data, bytes);
	if (request.result >= 0)
		return request.result;
	errno = -request.result;
	return -1;
}

#define ioctl(...) rtf_user_ioctl(__VA_ARGS__)

#endif
