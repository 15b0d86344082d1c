/* SPDX-License-Identifier: GPL-2.0 */
/* `limpet tun`: frames between a TAP device and a channel of messages. */
#ifndef CLI_TUN_H
#define CLI_TUN_H

#include <stdbool.h>

#include <client/channel.h>
#include <limpet/network.h>

/* --- tap.c. Each returns 0 or more, or a negative errno */

/* An interface that is there as long as the descriptor is; -EBUSY: somebody has it. */
int tap_open(const char *name);
/* Its link goes up or down. */
int tap_carrier(int tap, bool up);

/* --- pump.c */

#define TUN_MTU 1500u

/* Until the component or its system ends. Returns 0, or a negative errno. */
int pump(struct limpet_channel *channel, int tap);

#endif
