/* SPDX-License-Identifier: GPL-2.0 */
/* The Linux thread that lends one CPU to components. */
#ifndef HOST_HOST_THREAD_H
#define HOST_HOST_THREAD_H

#include <pthread.h>

enum host_thread_stage {
	HOST_THREAD_STARTED,
	HOST_THREAD_ENTERED, /* the kernel has registered it; components can run */
	HOST_THREAD_LEFT,    /* it will not enter again */
};

struct host_thread {
	int fd;		  /* the device, with a system loaded */
	int event;	  /* an eventfd that is signalled at each new stage */
	unsigned int cpu; /* CPU of the system */
	unsigned int linux_cpu;
	int priority;		      /* SCHED_FIFO, 1 to 99 */
	enum host_thread_stage stage; /* atomic: read it with host_thread_stage() */
	const char *failed;	      /* after it has left: the failed operation, or NULL */
	int error;		      /* errno of that failure */
	pthread_t id;
};

/* Starts the thread. All signals must be blocked. Returns 0 or an errno. */
int host_thread_start(struct host_thread *thread);
enum host_thread_stage host_thread_stage(const struct host_thread *thread);

#endif
