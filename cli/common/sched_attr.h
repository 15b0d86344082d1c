/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Includes Linux's struct sched_attr, for sched_setattr(2) and sched_getattr(2). C libraries before glibc 2.41 do not
 * have it. Debian 12's header also defines struct sched_param, as each C library does, so the name is masked here.
 */
#ifndef CLI_SCHED_ATTR_H
#define CLI_SCHED_ATTR_H

#define sched_param linux_sched_param
#include <linux/sched/types.h>
#undef sched_param

#endif
