/* SPDX-License-Identifier: GPL-2.0 */
/* The Linux thread in whose place components run on one CPU. */
#ifndef HOST_HOST_THREAD_H
#define HOST_HOST_THREAD_H

#include <pthread.h>

enum host_thread_stage {
	HOST_THREAD_STARTED,
	HOST_THREAD_ENTERED, /* the kernel knows it; components may run */
	HOST_THREAD_LEFT,    /* it will not enter again */
};

struct host_thread {
	int fd;		  /* the device, with a system loaded */
	int event;	  /* an eventfd that is signalled at each new stage */
	unsigned int cpu; /* of the system */
	unsigned int linux_cpu;
	int priority;		      /* SCHED_FIFO, 1 to 99 */
	enum host_thread_stage stage; /* atomic: read it with host_thread_stage() */
	const char *failed;	      /* once it has left: what failed, or NULL */
	int error;		      /* and with which errno */
	pthread_t id;
};

/* Starts it; all signals must be blocked. Returns 0 or an errno. */
int host_thread_start(struct host_thread *thread);
enum host_thread_stage host_thread_stage(const struct host_thread *thread);

#endif
