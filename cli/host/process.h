/* SPDX-License-Identifier: GPL-2.0 */
/* Prepares an ordinary process to be a host. */
#ifndef HOST_PROCESS_H
#define HOST_PROCESS_H

#include <signal.h>
#include <sys/types.h>

/*
 * Names the process limpet-host, excludes it from the OOM killer, blocks all signals, and locks its
 * present and future memory. Returns 0, or an errno with the failed operation in *what.
 */
int process_prepare(const char **what);
/* This signal asks a host process to end without its system, because another process becomes the host. */
#define PROCESS_REPLACE SIGUSR1

/* Returns a descriptor that becomes readable at SIGTERM, SIGINT or PROCESS_REPLACE, or a negative errno. */
int process_signals(void);
/*
 * Beneath mode: asks all other host processes of root to end without their system, and waits until they have. Returns 0,
 * or a negative errno with the process in *pid. -ETIMEDOUT: the process has not ended within ten seconds.
 */
int process_replace(pid_t *pid);

#endif
