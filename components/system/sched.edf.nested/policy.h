/* SPDX-License-Identifier: BSD-2-Clause */
/* The policy is that of sched.edf. */
#include "../sched.edf/policy.h"
