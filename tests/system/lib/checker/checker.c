// SPDX-License-Identifier: BSD-2-Clause
/* Invokes pong continuously and checks the results. At most one line "wrong" follows each report "right: N". */
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/pong.h>

static uint64_t right, wrong, seed;

static uint64_t next(void)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return seed ^ seed >> 29;
}

static void judge(bool good)
{
	right += good;
	wrong += !good;
}

static void check_four(void)
{
	uint64_t a = next() >> 33, b = next(), c = next(), d = next();
	word x = 0, y = 0, z = 0;
	long status = pong_call4(a, b, c, d, &x, &y, &z);

	judge(status == (long)a && x == b && y == c && z == d);
}

static void check_six(void)
{
	uint64_t a = next() >> 34, b = next() >> 34, c = next(), d = next(), e = next(), f = next();
	word x = 0, y = 0, z = 0;
	long status = pong_call6(a, b, c, d, e, f, &x, &y, &z);

	judge(status == (long)(a + b) && x == c && y == d && z == e + f);
}

void component_main(const struct limpet_info *info)
{
	uint64_t period =
		limpet_us_to_ticks((uint64_t)limpet_arg_number(info, "report-ms", 200) * 1000);

	for (;;) {
		uint64_t end = limpet_time() + period;

		while (limpet_time() < end) {
			check_four();
			check_six();
			judge(pong_call0() == 0);
		}
		limpet_print("right: %lu\n", right);
		if (wrong)
			limpet_print("wrong: %lu\n", wrong);
	}
}
