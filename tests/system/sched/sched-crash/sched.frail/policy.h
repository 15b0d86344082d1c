/* SPDX-License-Identifier: BSD-2-Clause */
/* Like sched.fixed-priority, but priority 66 crashes it. */
#define policy_key policy_key_right
#include "../../../../../components/system/sched.fixed-priority/policy.h"
#undef policy_key

static inline void policy_key(struct sched *s, unsigned int id)
{
	if (s->thread[id].priority == 66)
		*(volatile int *)0 = 66;
	policy_key_right(s, id);
}
