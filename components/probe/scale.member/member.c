// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>

#include <import/sched.h>

void component_main(const struct limpet_info *info)
{
	(void)info;
	sched_block();
}
