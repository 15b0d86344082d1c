/* SPDX-License-Identifier: GPL-2.0 */
/* `limpet tun`: frames between a TAP device and a channel of messages, which the module carries. */
#ifndef CLI_TUN_H
#define CLI_TUN_H

#include <stdbool.h>

/* tap.c. Each returns 0 or more, or a negative errno */

/* An interface that is there as long as the descriptor is; -EBUSY: somebody has it. */
int tap_open(const char *name);
/*
 * Has frames carried between it and an open channel, and keeps its link up while the component is there. `*tap` is
 * another descriptor of it on return, which no other process may have a copy of meanwhile (-EBUSY). Returns
 * 0 once the component was stopped or its system has ended. -EBADFD: the interface is gone.
 */
int tap_carry(int *tap, int channel);

#endif
