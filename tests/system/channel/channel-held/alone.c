// SPDX-License-Identifier: GPL-2.0
/* alone FILE: opens the file, ends its first thread, and prints "alone". The other thread keeps the file open. */
#include <pthread.h>

#include "../../lib/device.h"

/* Waits until Linux has ended the first thread, whose files /proc does not show any more. */
static void *first_wait(void *unused)
{
	char path[64], line[256] = "";

	(void)unused;
	snprintf(path, sizeof(path), "/proc/%d/stat", getpid());
	while (!strstr(line, ") Z ")) {
		FILE *file = fopen(path, "r");

		if (!file || !fgets(line, sizeof(line), file))
			die("%s: %s", path, strerror(errno));
		fclose(file);
		pause_us(1000);
	}
	printf("alone\n");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	pthread_t thread;

	while (open(argv[argc - 1], O_RDWR | O_CLOEXEC) < 0)
		pause_us(20000);
	if (pthread_create(&thread, NULL, first_wait, NULL))
		die("pthread_create");
	pthread_exit(NULL);
}
