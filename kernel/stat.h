/* SPDX-License-Identifier: GPL-2.0 */
/* What a host tells of a running system. */
#ifndef KERNEL_STAT_H
#define KERNEL_STAT_H

#include <kernel/cpu.h>
#include <limpet/device.h>

/*
 * In pieces, each short, since a host may have more urgent things to do: first stat_cpu(), then the
 * others in any order. All may run beside the CPU's kernel: what they read is then of a moment ago, and
 * never outside the system's memory. The host's own figures of the CPU stay 0.
 *
 * stat_cpu: the CPU's own line, stat->cpu[cpu->number]; it has `share` frames, none counted free yet.
 * stat_frames: counts the free ones among `count` from `first`. Linear in count.
 * stat_object: adds component and thread `i`, below STAT_OBJECTS, if they are there and the lists hold
 * them.
 */
#define STAT_OBJECTS LIMPET_COMPONENTS_MAX
_Static_assert(STAT_OBJECTS >= LIMPET_THREADS_MAX, "one number goes over both");
void stat_cpu(struct limpet_ioc_stat *stat, const struct cpu *cpu, word share);
void stat_frames(struct limpet_ioc_stat *stat, const struct cpu *cpu, word first, word count);
void stat_object(struct limpet_ioc_stat *stat, const struct cpu *cpu, unsigned int i);

#endif
