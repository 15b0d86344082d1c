/* SPDX-License-Identifier: GPL-2.0 */
/* What a host tells of a running system. */
#ifndef KERNEL_STAT_H
#define KERNEL_STAT_H

#include <kernel/cpu.h>
#include <limpet/device.h>

/*
 * Adds a CPU to stat->cpu[cpu->number], and its components and threads to the lists as far as they
 * hold them. `first` and `share` are the CPU's frames as in struct setup, CPU n's from first + n *
 * share. The host's own figures of the CPU stay 0. May run beside the CPU's kernel: what it reads is
 * then of a moment ago, and never outside the system's memory.
 */
void stat_cpu(struct limpet_ioc_stat *stat, const struct cpu *cpu, word first, word share);

#endif
