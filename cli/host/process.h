/* SPDX-License-Identifier: GPL-2.0 */
/* What makes an ordinary process fit to be a host. */
#ifndef HOST_PROCESS_H
#define HOST_PROCESS_H

/*
 * Names the process limpet-host, keeps the OOM killer off, blocks all signals, locks its memory,
 * now and later. Returns 0, or an errno and in `what` what failed.
 */
int process_prepare(const char **what);
/* A descriptor that is readable when SIGTERM or SIGINT came; negative: errno. */
int process_signals(void);

#endif
