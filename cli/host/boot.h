/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOST_BOOT_H
#define HOST_BOOT_H

#include <stdbool.h>

#include <client/device.h>

/* Whether a CPU's booter still runs: the thread it has, number 0, never does again when it is done. */
bool boot_goes_on(const struct limpet_stat *stat);

#endif
