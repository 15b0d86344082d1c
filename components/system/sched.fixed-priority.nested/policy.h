/* SPDX-License-Identifier: BSD-2-Clause */
/* The policy is that of sched.fixed-priority. */
#include "../sched.fixed-priority/policy.h"
