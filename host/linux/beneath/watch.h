/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENEATH_WATCH_H
#define BENEATH_WATCH_H

/* Checks the module's parameter heartbeat; logs why it is refused: -EINVAL. */
int watch_check(void);
/*
 * Registers with Linux's notifiers, and sends heartbeats from now on; before the launch they do nothing.
 * watch_end ends both. May sleep.
 */
void watch_begin(void);
void watch_end(void);
/* beneath.c: all CPUs leave the layer, unless a system runs. May sleep. */
void beneath_leave(void);

#endif
