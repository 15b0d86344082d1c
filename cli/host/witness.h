/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that outlives the host process. If the host process dies without an orderly end, for example by SIGKILL,
 * the witness appends the time and the reason to the system's log. The module prints the reason in Linux's log, because
 * only the kernel knows the signal. The witness copies it from there.
 */
#ifndef HOST_WITNESS_H
#define HOST_WITNESS_H

#include <stdint.h>

#include "plan.h"

struct witness {
	int pipe; /* pipe to the witness, which reads its end when the host process dies */
};

/*
 * Starts the witness of the calling process. The witness keeps only the standard input, output and error open. Must be
 * called before the process has other threads or opens the device. Returns 0 or a negative errno.
 */
int witness_start(struct witness *witness, const struct host_plan *plan);
/* Selects the log for the reason: that of the system with this id. */
void witness_log(const struct witness *witness, uint32_t id);
/* Stops the witness. The caller must have written the reason for its end itself. */
void witness_end(const struct witness *witness);

#endif
