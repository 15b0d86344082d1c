// SPDX-License-Identifier: GPL-2.0
/*
 * reader COMMAND...: reads the records of the module wild through one open file, and sends it the commands one after the
 * other, each of which ends a life. After a command with the prefix +, it reads only when the next life has started. Checks
 * that records are whole and in order, that a crash is EPIPE and POLLHUP after the last record of the life, and that both
 * files continue with the next life. With `end` it checks that there is no
 * next life. Exits with 0, or prints the error.
 */
#include <poll.h>

#include "../../lib/device.h"

#define PATIENCE 20 /* seconds */

static int records, commands;

/* Reads a record. Returns false with EPIPE. */
static int record_read(int *record)
{
	ssize_t got = read(records, record, 2 * sizeof(*record));

	if (got < 0 && errno == EPIPE)
		return 0;
	if (got != 2 * (ssize_t)sizeof(*record))
		die("a record has %zd bytes: %s", got, strerror(errno));
	return 1;
}

/* Reads the records of a life from `next` on. Stops after `count` of them, or at the end of the life. */
static int life_read(int life, int next, int count)
{
	int record[2];

	while (count-- && record_read(record)) {
		if (record[0] != life || record[1] != next)
			die("record %d of life %d instead of %d of %d", record[1], record[0], next,
			    life);
		next++;
	}
	return next;
}

static int hangs_up(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN | POLLOUT };

	return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & POLLHUP;
}

/* Reads the first record of the next life. Requires that a read has failed with EPIPE. */
static void life_wait(int life)
{
	const double end = seconds() + PATIENCE;
	int record[2];

	while (!record_read(record)) {
		if (seconds() > end)
			die("life %d does not begin", life);
		pause_us(1000);
	}
	if (record[0] != life || record[1])
		die("the first record is %d of life %d instead of %d", record[1], record[0], life);
}

/* Both files report the end for a while, if no other life follows. */
static void is_over(void)
{
	for (int i = 0; i < 100; i++) {
		int record[2];

		if (record_read(record) || !hangs_up(records))
			die("a record of life %d after the last life", record[0]);
		if (write(commands, "x", 1) >= 0 || errno != EPIPE)
			die("write after the last life: %s", strerror(errno));
		pause_us(10000);
	}
	if (open("/dev/rtf0", O_RDONLY) >= 0 || (errno != ENODEV && errno != EACCES))
		die("open after the last life: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	int life = 1, next = 0;

	records = open("/dev/rtf0", O_RDONLY);
	commands = open("/dev/rtf1", O_WRONLY);
	if (records < 0 || commands < 0)
		die("open: %s", strerror(errno));
	for (int i = 1; i < argc; i++) {
		next = life_read(life, next, 20);
		if (strcmp(argv[i], "end") == 0) {
			is_over();
			return 0;
		}
		const int late = argv[i][0] == '+';

		if (write(commands, argv[i] + late, 1) != 1)
			die("write in life %d: %s", life, strerror(errno));
		if (late)
			pause_us(500000);
		life_read(life, next, -1);
		if (i + 1 < argc && strcmp(argv[i + 1], "end") == 0)
			continue;
		life_wait(++life);
		next = 1;
	}
	life_read(life, next, 20);
	return 0;
}
