// SPDX-License-Identifier: GPL-2.0
/*
 * waiter COUNT: requests an event of channel `few` COUNT times, and waits for each. A wait whose wake-up is lost returns
 * the event when its time limit has passed.
 */
#include "../../lib/device.h"

int main(int argc, char **argv)
{
	const unsigned long wait = LIMPET_SLEEP_DATA + LIMPET_NODE_WAIT_MS(6000);
	int fd = node_open("few", O_RDWR | O_NONBLOCK);
	uint64_t events;

	for (long i = 0; argc == 2 && i < strtol(argv[1], NULL, 10); i++) {
		double end = seconds() + 5;

		while (ioctl(fd, LIMPET_NODE_EVENT, 0)) {
			if (errno != EAGAIN || seconds() > end)
				die("event %ld: %s", i, strerror(errno));
			pause_us(1000);
		}
		end = seconds() + 5;
		while (read(fd, &events, sizeof(events)) < 0)
			if (errno != EAGAIN || ioctl(fd, LIMPET_NODE_WAIT, wait))
				die("round %ld: %s", i, strerror(errno));
		if (seconds() > end)
			die("round %ld: no wake-up", i);
	}
	printf("done\n");
	return 0;
}
