// SPDX-License-Identifier: GPL-2.0
#include <runtime/component.h>
#include <runtime/print.h>

#include <import/fragile.h>
#include <import/pong.h>

void component_main(const struct limpet_info *info)
{
	word x = 0, y = 0, z = 0;
	bool right = pong_call0() == 0 && pong_call4(1, 2, 3, 4, &x, &y, &z) == 1;

	(void)info;
	right &= x == 2 && y == 3 && z == 4 && pong_done() == LIMPET_ESTATE;
	limpet_print("%s: C calls Rust\n", right ? "right" : "wrong");
	right = fragile_crash(0, 3) == LIMPET_ECRASH && fragile_add(3) == 3;
	limpet_print("%s: a panic in a call of C\n", right ? "right" : "wrong");
	limpet_print("done\n");
}
