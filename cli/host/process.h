/* SPDX-License-Identifier: GPL-2.0 */
/* Prepares an ordinary process to be a host. */
#ifndef HOST_PROCESS_H
#define HOST_PROCESS_H

/*
 * Names the process limpet-host, excludes it from the OOM killer, blocks all signals, and locks its
 * present and future memory. Returns 0, or an errno with the failed operation in *what.
 */
int process_prepare(const char **what);
/* Returns a descriptor that becomes readable at SIGTERM or SIGINT, or a negative errno. */
int process_signals(void);

#endif
