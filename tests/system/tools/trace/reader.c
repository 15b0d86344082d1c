// SPDX-License-Identifier: GPL-2.0
/* Tests the ioctls of the trace directly: their refusals, and their results for a reader. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <limpet/device.h>

#define MANY 4096u

static struct limpet_trace_event events[MANY];

/* Prints a line for run.sh. */
static void verdict(const char *name, bool ok, long long seen)
{
	if (ok)
		printf("pass %s\n", name);
	else
		printf("fail %s: %lld, errno %d\n", name, seen, errno);
}

static int device(void)
{
	int fd = open(LIMPET_DEVICE, O_RDWR);

	if (fd < 0)
		perror(LIMPET_DEVICE);
	return fd;
}

static struct limpet_ioc_trace reading(uint64_t position, uint32_t count)
{
	return (struct limpet_ioc_trace){ .position = position,
					  .count = count,
					  .buffer = (uintptr_t)events };
}

static void refused(const char *name, int fd, unsigned long command, void *argument, int error)
{
	int result = ioctl(fd, command, argument);

	verdict(name, result < 0 && errno == error, result);
}

static uint64_t present(int fd)
{
	struct limpet_ioc_trace read = reading(~0ull, 0);

	return ioctl(fd, LIMPET_IOC_TRACE_READ, &read) ? ~0ull : read.position;
}

/* Waits for more than this number of events, at most 20 s. */
static void await_more(int fd, uint64_t than)
{
	for (int tries = 0; tries < 2000 && present(fd) <= than; tries++)
		usleep(10000);
}

/* Returns whether events are in the order of time and have valid kinds. */
static bool sound(const struct limpet_ioc_trace *read)
{
	for (uint32_t i = 0; i < read->count; i++)
		if (events[i].what >> 16 >= LIMPET_TRACE_KINDS ||
		    (i && events[i].time < events[i - 1].time))
			return false;
	return true;
}

static void nothing(int fd)
{
	struct limpet_ioc_trace read = reading(0, MANY);

	refused("trace without a system", fd, LIMPET_IOC_TRACE, (void *)LIMPET_TRACE_ALL, ENODEV);
	refused("read without a system", fd, LIMPET_IOC_TRACE_READ, &read, ENODEV);
}

static void refusals(int fd)
{
	struct limpet_ioc_trace read = reading(0, MANY);
	int other = device();

	read.cpu = LIMPET_CPUS_MAX;
	refused("no such CPU", fd, LIMPET_IOC_TRACE_READ, &read, EINVAL);
	read.cpu = ~0u;
	refused("no CPU at all", fd, LIMPET_IOC_TRACE_READ, &read, EINVAL);
	refused("no address", fd, LIMPET_IOC_TRACE_READ, NULL, EFAULT);
	verdict("on", !ioctl(fd, LIMPET_IOC_TRACE, LIMPET_TRACE_USUAL), 0);
	await_more(fd, present(fd));
	read = reading(0, MANY);
	read.buffer = 8;
	refused("no buffer", fd, LIMPET_IOC_TRACE_READ, &read, EFAULT);
	refused("a second tracer", other, LIMPET_IOC_TRACE, (void *)LIMPET_TRACE_USUAL, EBUSY);
	refused("it cannot end the first one's", other, LIMPET_IOC_TRACE, NULL, EBUSY);
	close(other);
}

static void reads(int fd)
{
	struct limpet_ioc_trace read = reading(0, MANY);
	uint64_t before = present(fd), after;

	await_more(fd, before);
	after = present(fd);
	verdict("it is recorded", after > before, (long long)(after - before));
	verdict("from the beginning", !ioctl(fd, LIMPET_IOC_TRACE_READ, &read), read.count);
	verdict("the count adds up", read.position == read.lost + read.count && read.count,
		(long long)read.lost);
	verdict("and is in order", sound(&read), read.count);
	read = reading(read.position, 1);
	verdict("one event alone", !ioctl(fd, LIMPET_IOC_TRACE_READ, &read) && read.count <= 1,
		read.count);
	read = reading(0, ~0u);
	verdict("as many as there are",
		!ioctl(fd, LIMPET_IOC_TRACE_READ, &read) && read.count <= MANY, read.count);
}

/* Reads while the kernel writes at the maximum rate, with some pauses. */
static void many_reads(int fd)
{
	uint64_t position = 0, lost = 0, got = 0, bad = 0;

	for (int i = 0; i < 300; i++) {
		struct limpet_ioc_trace read = reading(position, MANY);

		if (ioctl(fd, LIMPET_IOC_TRACE_READ, &read) || !sound(&read) ||
		    read.position != position + read.lost + read.count)
			bad++;
		position = read.position;
		lost += read.lost;
		got += read.count;
		if (i % 30 == 0)
			usleep(20000);
	}
	verdict("beside the writer, all is sound", !bad && got, (long long)bad);
	verdict("nothing is there twice", got + lost == position, (long long)position);
}

static void off(int fd)
{
	uint64_t before;

	close(fd);
	fd = device();
	usleep(200000);
	before = present(fd);
	usleep(500000);
	verdict("closed, it is off", present(fd) == before, (long long)(present(fd) - before));
	verdict("no process traces", !ioctl(fd, LIMPET_IOC_TRACE, 0), 0);
	close(fd);
}

int main(int argc, char **argv)
{
	int fd = device();

	if (argc < 2 || fd < 0)
		return 1;
	if (!strcmp(argv[1], "nothing")) {
		nothing(fd);
		return 0;
	}
	refusals(fd);
	reads(fd);
	many_reads(fd);
	off(fd);
	return 0;
}
