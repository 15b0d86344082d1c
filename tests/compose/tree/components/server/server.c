// SPDX-License-Identifier: BSD-2-Clause
#include <export/echo.h>
#include <import/clock.h>

long echo_serve_none(word badge)
{
	word ticks;

	(void)badge;
	return clock_now(&ticks);
}

long echo_serve_four(word badge, word a, word b, word c, word d, struct echo_four_results *out)
{
	(void)badge;
	*out = (struct echo_four_results){ b, c, d };
	return (long)a;
}

long echo_serve_six(word badge, word a, word b, word c, word d, word e, word f,
		    struct echo_six_results *out)
{
	*out = (struct echo_six_results){ a + b + c, d + e + f };
	return (long)badge;
}
