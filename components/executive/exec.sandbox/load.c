// SPDX-License-Identifier: BSD-2-Clause
#include "sandbox.h"

#include <runtime/archive.h>
#include <runtime/component.h>
#include <runtime/memory.h>
#include <runtime/print.h>

/* Finds a file of the ramdisk. */
static bool file_find(const struct limpet_info *info, const char *name, struct archive_entry *entry)
{
	uint64_t at = 0;

	while (info->ramdisk &&
	       archive_read((const uint8_t *)info->ramdisk, info->ramdisk_size, &at, entry))
		if (!entry->folder && entry->length == strlen(name) &&
		    !memcmp(entry->name, name, entry->length))
			return true;
	return false;
}

bool policy_load(const struct limpet_info *info)
{
	const char *name = limpet_arg_text(info, "policy", "sandbox.policy"), *why;
	struct archive_entry entry;
	unsigned int line;

	if (!file_find(info, name, &entry)) {
		limpet_print("the ramdisk has no file %s: no guest is served\n", name);
		return false;
	}
	line = policy_read((const char *)entry.data, entry.size, &why);
	if (line)
		limpet_print("%s:%u: the line %s: no guest is served\n", name, line, why);
	return !line;
}
