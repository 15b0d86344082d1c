// SPDX-License-Identifier: GPL-2.0
#include "boot.h"

bool boot_continues(const struct limpet_stat *stat)
{
	for (unsigned int i = 0; i < stat->threads; i++)
		if (!stat->thread[i].id && stat->thread[i].running)
			return true;
	return false;
}
