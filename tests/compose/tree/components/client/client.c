// SPDX-License-Identifier: BSD-2-Clause
#include <import/echo.h>
#include <import/other.h>
#include <runtime/component.h>

static word results[3000];
static unsigned int filled = 3;

void component_main(const struct limpet_info *info)
{
	for (long i = 0; i < limpet_arg_number(info, "rounds", 10); i++) {
		word x, y, z;

		echo_none();
		other_four(1, 2, 3, 4, &x, &y, &z);
		results[i % 3000] = x + y + z + filled++;
	}
}
