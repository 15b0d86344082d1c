/* SPDX-License-Identifier: GPL-2.0 */
/* Prepares an ordinary process to be a host. */
#ifndef HOST_PROCESS_H
#define HOST_PROCESS_H

/*
 * Names the process limpet-host, keeps the OOM killer off, blocks all signals, locks its memory,
 * now and later. Returns 0, or an errno and in `what` what failed.
 */
int process_prepare(const char **what);
/* Returns a descriptor that becomes readable at SIGTERM or SIGINT, or a negative errno. */
int process_signals(void);

#endif
