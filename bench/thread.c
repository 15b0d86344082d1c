// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sched.h>

#include "figure.h"
#include "thread.h"

pthread_t thread_start_fifo(void *(*function)(void *), int priority)
{
	const struct sched_param parameters = { .sched_priority = priority };
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attributes, SCHED_FIFO);
	pthread_attr_setschedparam(&attributes, &parameters);
	errno = pthread_create(&thread, &attributes, function, NULL);
	if (errno)
		figure_die("pthread_create");
	return thread;
}
