// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>

long component_init(const struct limpet_info *info)
{
	(void)info;
	return LIMPET_OK;
}
