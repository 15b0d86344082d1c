// SPDX-License-Identifier: BSD-2-Clause
#include <export/clock.h>

long clock_serve_now(word badge, struct clock_now_results *out)
{
	out->ticks = badge;
	return 0;
}
