// SPDX-License-Identifier: GPL-2.0
/*
 * Provides a serial port. Prints the name of a terminal, and waits for a line on its input. Then sends 26 letters to
 * the other end in small parts, and prints the received letters until there are 26. Keeps the port until its input
 * ends.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define WAIT_MS 30000

int main(void)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY);
	struct pollfd ready = { fd, POLLIN, 0 };
	char line[16], back[27] = "";
	int count = 0;

	if (fd < 0 || grantpt(fd) || unlockpt(fd))
		return 1;
	/* This process keeps one end open, so that the port does not hang up while no other process has it open. */
	if (open(ptsname(fd), O_RDWR | O_NOCTTY) < 0)
		return 1;
	printf("%s\n", ptsname(fd));
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	for (int i = 0; i < 26; i += 2) {
		if (write(fd, letters + i, 2) != 2)
			return 1;
		usleep(5000);
	}
	while (count < 26 && poll(&ready, 1, WAIT_MS) == 1) {
		ssize_t more = read(fd, back + count, (size_t)(26 - count));

		if (more <= 0)
			break;
		count += (int)more;
	}
	printf("%s\n", back);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		;
	return 0;
}
