// SPDX-License-Identifier: BSD-2-Clause
/* State shared by all parts, and the wake-up of the supervisor's own thread. */
#include <import/sched.h>

#include "supervisor.h"

struct supervisor supervisor;
uint8_t supervisor_inside[LIMPET_THREADS_MAX];
_Static_assert(!(LIMPET_THREADS_MAX & (LIMPET_THREADS_MAX - 1)),
	       "enter.S masks the id of a thread");

struct supervised *supervised_of(word component)
{
	for (uint32_t i = 0; i < supervisor.supervised_count; i++)
		if (supervisor.supervised[i].info->component == component)
			return &supervisor.supervised[i];
	return NULL;
}

void check_now(void)
{
	if (supervisor.started)
		sched_wake(limpet_info()->thread);
}
