/* SPDX-License-Identifier: GPL-2.0 */
/* The parameters of a host process: the system that it loads, its CPUs, and its scheduling. */
#ifndef HOST_PLAN_H
#define HOST_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include <limpet/image.h>

struct host_plan {
	const char *name; /* name of the system */
	void *image;	  /* NULL: a system runs already (beneath mode); keep only its log */
	size_t image_size;
	unsigned int cpus;
	unsigned int cpu[LIMPET_CPUS_MAX]; /* Linux's numbers of the CPUs */
	int priority;
	unsigned int linux_share; /* per mille */
	unsigned int early_us;	  /* early_us of struct limpet_ioc_load */
	bool foreground;	  /* the log is also printed to stdout */
};

#endif
