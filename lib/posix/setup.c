// SPDX-License-Identifier: BSD-2-Clause
#include "file.h"

bool files_setup(const struct limpet_info *info)
{
	if (!nodes_setup((const uint8_t *)info->ramdisk, info->ramdisk ? info->ramdisk_size : 0))
		return false;
	if (!shared_setup(info))
		return false;
	folder_setup();
	descriptors_setup();
	return true;
}
