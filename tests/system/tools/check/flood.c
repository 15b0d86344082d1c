// SPDX-License-Identifier: GPL-2.0
/* Sends ten messages to the channel "flood" and pauses for 20 ms, repeatedly, until it is killed. */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define NODE "/dev/limpet/flood"
#define MESSAGES 10
#define PAUSE_NS 20000000

int main(void)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	const char message[8] = "message";
	int fd = open(NODE, O_WRONLY);

	while (fd >= 0) {
		for (int i = 0; i < MESSAGES; i++)
			if (write(fd, message, sizeof(message)) < 0)
				fd = -1;
		nanosleep(&pause, NULL);
	}
	perror(NODE);
	return 1;
}
