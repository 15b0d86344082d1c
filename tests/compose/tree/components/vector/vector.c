// SPDX-License-Identifier: BSD-2-Clause
#include <export/clock.h>
#include <import/echo.h>
#include <runtime/component.h>

static volatile double value = 1.5;

long clock_serve_now(word badge, struct clock_now_results *out)
{
	value = value * (double)badge;
	out->ticks = (word)value;
	return 0;
}

void component_main(const struct limpet_info *info)
{
	double kept = value;

	(void)info;
	echo_none();
	value = kept * 2;
}
