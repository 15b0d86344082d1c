/* SPDX-License-Identifier: GPL-2.0 */
/* The figures of a running system that a host reports. */
#ifndef KERNEL_STAT_H
#define KERNEL_STAT_H

#include <kernel/cpu.h>
#include <limpet/device.h>

/*
 * Both may run beside the CPU's kernel: the figures are then of a moment ago, and never from outside the system's
 * memory.
 *
 * stat_take: fills the piece that starts at stat->first, except `cpus`, the free frames and the host's own figures.
 * The CPU has `share` frames. Takes at most LIMPET_STAT_PIECE steps.
 * stat_frames: counts the free frames among `count` from `first`. Linear in count.
 */
void stat_take(struct limpet_ioc_stat *stat, const struct cpu *cpu, word share);
u64 stat_frames(const struct cpu *cpu, word first, word count);

#endif
