/* SPDX-License-Identifier: GPL-2.0 */
/* Manages all host threads of a system. */
#ifndef HOST_CREW_H
#define HOST_CREW_H

#include <stdbool.h>

#include "host_thread.h"
#include "plan.h"

struct crew {
	int event; /* an eventfd: readable when a thread reached a new stage */
	unsigned int count;
	struct host_thread thread[LIMPET_CPUS_MAX];
};

/*
 * Makes an empty crew, which crew_wait() and crew_reached() accept even if it is never started.
 * Returns 0 or an errno.
 */
int crew_init(struct crew *crew);
/*
 * Starts a thread for each CPU of the plan. The device must have a system loaded. Returns 0 or an
 * errno.
 */
int crew_start(struct crew *crew, int fd, const struct host_plan *plan);
/* Waits until a thread reaches a new stage. Returns false after `ms` milliseconds, or never if `ms` is -1. */
bool crew_wait(struct crew *crew, int ms);
/* Returns the number of threads that have reached a stage. */
unsigned int crew_reached(const struct crew *crew, enum host_thread_stage stage);
/* Returns a thread that left because of a failure, or NULL. */
const struct host_thread *crew_failed(const struct crew *crew);

#endif
