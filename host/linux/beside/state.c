// SPDX-License-Identifier: GPL-2.0
/* The table of the loaded systems, which the other files look up. */
#include <host/linux/parts.h>

DEFINE_MUTEX(system_lock);
struct system *systems[LIMPET_SYSTEMS_MAX];

struct system *system_find(u32 id)
{
	struct system *found = NULL;

	for (u32 i = 0; i < LIMPET_SYSTEMS_MAX; i++) {
		if (!systems[i] || (id != LIMPET_SYSTEM_ANY && id != i))
			continue;
		if (found)
			return ERR_PTR(-ENOTUNIQ);
		found = systems[i];
	}
	return found ?: ERR_PTR(-ENODEV);
}
