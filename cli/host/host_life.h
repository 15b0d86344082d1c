/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host process of a system: loads it, lends it one thread per CPU, keeps its log, and ends
 * with it. Its life, on one screen, is host_live().
 */
#ifndef HOST_LIFE_H
#define HOST_LIFE_H

#include "plan.h"

/*
 * Makes this process the host: returns when the system has ended. `tell` is called once, with
 * NULL as soon as the system runs, or with one line that says why it does not.
 * Returns 0 when the system ran and was stopped.
 */
int host_live(const struct host_plan *plan, void (*tell)(void *to, const char *line), void *to);
/*
 * The same in a process of its own, which outlives this one: returns as soon as the system runs, or why
 * it does not was reported. Returns enum command_exit.
 */
int host_daemon(const struct host_plan *plan);

#endif
