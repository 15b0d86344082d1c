/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BENEATH_APIC_H
#define BENEATH_APIC_H

#include <linux/types.h>

/*
 * Measures the time stamp ticks per undivided tick of the local APIC's timer, times 2^32, and the
 * inverse. Linux's timer continues afterwards. Returns false if the timer does not count.
 */
bool beneath_apic_calibrate(u64 *ticks_shift32, u64 *counts_shift32);

#endif
