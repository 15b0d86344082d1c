/* SPDX-License-Identifier: GPL-2.0 */
/* `limpet tun` makes the module carry frames between a TAP device and a channel of messages. */
#ifndef CLI_TUN_H
#define CLI_TUN_H

#include <stdbool.h>

/* tap.c. Each returns 0 or more, or a negative errno */

/*
 * Opens an interface, which exists as long as the descriptor. A new interface accepts no router advertisements,
 * redirects and source routes. -EBUSY: another process uses it.
 */
int tap_open(const char *name);
/*
 * Carries frames between a TAP device and an open channel, and keeps the device's link up while the component runs.
 * `*tap` is another descriptor of the device on return. Returns 0 after the component was stopped or its system has
 * ended. -EBUSY: another process has a copy of the descriptor. -EBADFD: the interface was removed.
 */
int tap_carry(int *tap, int channel);

#endif
