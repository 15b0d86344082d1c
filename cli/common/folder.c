// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cli/common/folder.h>
#include <cli/common/report.h>

bool folder_make(const char *folder)
{
	if (!mkdir(folder, 0777) || (errno == EEXIST && !rmdir(folder) && !mkdir(folder, 0777)))
		return true;
	if (errno == EEXIST || errno == ENOTEMPTY)
		report("%s: This exists already. Remove it, or name another folder with -o.",
		       folder);
	else
		report("%s: %s", folder, strerror(errno));
	return false;
}
