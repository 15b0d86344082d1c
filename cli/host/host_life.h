/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host process of a system. It loads the system, provides one thread per CPU, writes the log, and ends with the
 * system. host_live() contains all steps.
 */
#ifndef HOST_LIFE_H
#define HOST_LIFE_H

#include "plan.h"

/*
 * Turns this process into the host. Returns when the system has ended. Calls `report_start` once: with NULL
 * when the system runs, or with a line that gives the reason of a failure. Returns 0 if the system
 * ran and was stopped. In beneath mode it also returns 0, and the system continues, after the signal PROCESS_REPLACE,
 * and after SIGTERM or SIGINT while `limpet reload-linux` restarts Linux.
 */
int host_live(const struct host_plan *plan, void (*report_start)(void *to, const char *line),
	      void *to);
/*
 * Does the same in a process that outlives this one. Returns when the system runs, or when a
 * failure was reported. Returns enum command_exit.
 */
int host_daemon(const struct host_plan *plan);

#endif
