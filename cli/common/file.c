// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include <cli/common/file.h>
#include <cli/common/report.h>

FILE *file_create(const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		report("%s: %s", path, strerror(errno));
	return file;
}

bool file_close(FILE *file, const char *path)
{
	const bool bad = ferror(file);

	if (!fclose(file) && !bad)
		return true;
	report("%s: The file could not be written completely: %s", path, strerror(errno));
	return false;
}
