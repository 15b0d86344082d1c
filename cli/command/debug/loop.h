/* SPDX-License-Identifier: GPL-2.0 */
/* Serves one gdb. */
#ifndef CLI_DEBUG_LOOP_H
#define CLI_DEBUG_LOOP_H

#include <cli/command/debug/remote.h>

/*
 * Reads gdb's packets from `in` and writes answers to `out`, until gdb detaches or closes `in`, a signal of
 * loop_signals() arrives, or the session is lost. Ends the session. Returns 0, or the reason why the session was lost.
 */
long loop_run(struct remote *remote, int in, int out);

/* Makes SIGTERM and SIGHUP end the loop, and ignores SIGINT, which a terminal also sends to gdb's children. */
void loop_signals(void);

#endif
