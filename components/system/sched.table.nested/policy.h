/* SPDX-License-Identifier: BSD-2-Clause */
/* The policy is that of sched.table. */
#include "../sched.table/policy.h"
