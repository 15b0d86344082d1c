// SPDX-License-Identifier: BSD-2-Clause
#include <import/other.h>
#include <runtime/component.h>

long component_init(const struct limpet_info *info)
{
	(void)info;
	return other_none() == LIMPET_ESLOT ? LIMPET_OK : LIMPET_ERANGE;
}
