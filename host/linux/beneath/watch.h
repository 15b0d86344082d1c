/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENEATH_WATCH_H
#define BENEATH_WATCH_H

/* Checks the module's parameter heartbeat. Returns 0, or -EINVAL with a line in the log. */
int watch_check(void);
/*
 * watch_begin() registers with Linux's notifiers and starts to send heartbeats, which have no effect before the launch.
 * watch_end() ends both. May sleep.
 */
void watch_begin(void);
void watch_end(void);

#endif
