/* SPDX-License-Identifier: GPL-2.0 */
/* svm.c: Linux's use of AMD-V. Functions can sleep unless the text says otherwise. */
#ifndef BENEATH_SVM_H
#define BENEATH_SVM_H

#include <linux/percpu-defs.h>

#include <host/bare/bare.h>

struct cpumask;

/* Arguments of svm_enter() for each CPU. The layer's memory must be prepared before. */
DECLARE_PER_CPU(struct bare_launch, svm_launch);

/* Returns true if a layer is beneath this Linux already, and fills `info`. Does not sleep. */
bool svm_find(struct bare_info *info);
/*
 * Checks whether the processor can take the layer. Returns 0 or a negative errno, with a line in the log: -EBUSY: KVM
 * is loaded; -ENODEV: the processor, the firmware or the hypervisor below does not allow it.
 */
int svm_check(void);
/* All online CPUs enter the layer, except those on which another hypervisor uses AMD-V. */
void svm_enter(void);
/* All CPUs leave the layer, unless a system runs or the layer started this Linux. */
void svm_leave(void);
/* The layer started this Linux: all present CPUs are in it, and svm_leave() does nothing. */
void svm_adopt(void);
/* Returns the CPUs that are in the layer. */
const struct cpumask *svm_cpus(void);

#endif
