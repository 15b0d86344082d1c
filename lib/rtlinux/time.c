// SPDX-License-Identifier: BSD-2-Clause
/* The time of gethrtime(), from time stamps and to them. */
#include "core.h"

#include <runtime/time.h>

#define NS_PER_MS 1000000u

hrtime_t rtlinux_time(uint64_t ticks)
{
	uint64_t per_ms = limpet_info()->ticks_per_ms;

	return (hrtime_t)(ticks / per_ms * NS_PER_MS + ticks % per_ms * NS_PER_MS / per_ms);
}

hrtime_t gethrtime(void)
{
	return rtlinux_time(limpet_time());
}

uint64_t rtlinux_stamp(hrtime_t time)
{
	uint64_t ns = time < 0 ? 0 : (uint64_t)time, per_ms = limpet_info()->ticks_per_ms;

	if (ns / NS_PER_MS >= LIMPET_NEVER / per_ms - 1)
		return LIMPET_NEVER;
	return ns / NS_PER_MS * per_ms + (ns % NS_PER_MS * per_ms + NS_PER_MS - 1) / NS_PER_MS;
}
