/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOST_BOOT_H
#define HOST_BOOT_H

#include <stdbool.h>

#include <client/device.h>

/*
 * Returns whether the booter of a CPU still runs. Its thread, number 0, never runs again after the
 * boot.
 */
bool boot_continues(const struct limpet_stat *stat);

#endif
