// SPDX-License-Identifier: BSD-2-Clause
/* State shared by all parts, and the wake-up of the supervisor's own thread. */
#include <import/sched.h>

#include "supervisor.h"

struct supervisor supervisor;

struct ward *ward_of(word component)
{
	for (uint32_t i = 0; i < supervisor.wards; i++)
		if (supervisor.ward[i].info->component == component)
			return &supervisor.ward[i];
	return NULL;
}

void tend_now(void)
{
	if (supervisor.begun)
		sched_wake(limpet_info()->thread);
}
