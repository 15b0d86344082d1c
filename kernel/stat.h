/* SPDX-License-Identifier: GPL-2.0 */
/* Statistics of a running system, for the host. */
#ifndef KERNEL_STAT_H
#define KERNEL_STAT_H

#include <kernel/cpu.h>
#include <limpet/device.h>

/*
 * All functions can run at the same time as the CPU's kernel. The figures can then be slightly old,
 * but they never come from outside the system's memory.
 *
 * stat_begin() fills the figures of the CPU and the jobs of thread stat->first. The caller fills
 * `cpus`, the free frames and the host's figures. The CPU has `share` frames. Constant time.
 *
 * stat_add() adds the component and the thread that have this number, if they exist. The caller
 * adds LIMPET_STAT_PIECE numbers from stat->first. Constant time.
 *
 * stat_frames() counts the free frames among `count` from `first`. Linear in count.
 */
void stat_begin(struct limpet_ioc_stat *stat, struct cpu *cpu, word share);
void stat_add(struct limpet_ioc_stat *stat, const struct cpu *cpu, word number);
u64 stat_frames(const struct cpu *cpu, word first, word count);

#endif
