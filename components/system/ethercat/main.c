// SPDX-License-Identifier: BSD-2-Clause
#include "ethercat.h"

long component_init(const struct limpet_info *info)
{
	return master_setup(info);
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	if (port_begin())
		return;
	for (;;)
		master_turn();
}
