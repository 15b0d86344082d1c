// SPDX-License-Identifier: GPL-2.0
/* Has two threads, which sleep. */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void *thread_main(void *unused)
{
	sleep(1000);
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, thread_main, NULL))
		return 1;
	return pthread_join(thread, NULL);
}
