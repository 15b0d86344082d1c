/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that outlives the host process, and appends the reason to the system's log if the host process dies without an
 * orderly end: killed by a signal, for example. A process cannot report its own SIGKILL. The module prints the reason in
 * Linux's log, because only the kernel knows the signal; the witness copies it, with the time.
 */
#ifndef HOST_WITNESS_H
#define HOST_WITNESS_H

#include <stdint.h>

#include "plan.h"

struct witness {
	int pipe; /* to it; it sees the end of the pipe when the host process dies */
};

/*
 * Starts the witness of the calling process, a child that keeps none of its files but standard input, output and error.
 * Must be called before the process has other threads or the device. Returns 0 or a negative errno.
 */
int witness_start(struct witness *witness, const struct host_plan *plan);
/* Says in which log the death is to be written: that of the system with this id. */
void witness_log(const struct witness *witness, uint32_t id);
/* Ends the witness: the caller ends in order, and has written the reason itself. */
void witness_end(const struct witness *witness);

#endif
