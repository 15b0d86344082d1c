/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the trace rings of a system's CPUs while they are written, for commands that run until a time or a signal. */
#ifndef CLI_RINGS_H
#define CLI_RINGS_H

#include <stdbool.h>
#include <stddef.h>

#include <limpet/device.h>

struct rings {
	int fd; /* descriptor of the device, with the system selected */
	unsigned int cpus;
	/* Takes events of a CPU in their order. `lost` events before them were overwritten. */
	void (*put)(void *to, unsigned int cpu, struct limpet_trace_event *event, size_t count,
		    uint64_t lost);
	void *to;
	uint64_t position[LIMPET_CPUS_MAX]; /* number of the next event */
	uint64_t lost; /* number of events that were overwritten before they were read */
	bool ended;    /* the system has ended */
};

/*
 * Starts to record events of `kinds`. The first event after this call is the first one that is read. Returns 0 or a
 * negative errno, as limpet_trace().
 */
int rings_begin(struct rings *rings, unsigned int kinds);
/* Stops recording. Events that are in the rings can still be read. */
void rings_end(struct rings *rings);
/*
 * Reads the events that the rings have. Stops after a fixed number of calls for each CPU, because a kernel can write as
 * fast as this reads. Returns the number of events.
 */
size_t rings_read(struct rings *rings);
/* Sleeps until the rings should be read again. */
void rings_pause(void);

/* Makes SIGINT and SIGTERM set a flag instead of ending the process. */
void interruption_catch(void);
/* Returns whether one of these signals has arrived. */
bool interruption_came(void);
/* Returns the time of CLOCK_MONOTONIC in seconds. */
double seconds_now(void);

#endif
