/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host process of a system: loads it, lends it one thread per CPU, keeps its log, and ends
 * with it. Its life, on one screen, is host_live().
 */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include <limpet/image.h>

struct host_plan {
	const char *name;  /* of the system */
	const void *image; /* NULL: the system runs already, beneath: only its log is kept */
	size_t image_size;
	unsigned int cpus;
	unsigned int cpu[LIMPET_CPUS_MAX]; /* Linux's numbers */
	int priority;
	unsigned int linux_share; /* per mille */
	unsigned int early_us;	  /* of struct limpet_ioc_load */
	bool foreground;	  /* the log is copied to stdout */
};

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
