// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cli/common/file.h>
#include <cli/common/report.h>

static FILE *file_open(const char *path, const char *mode)
{
	FILE *file = fopen(path, mode);

	if (!file)
		report("%s: The file cannot be written: %s.", path, strerror(errno));
	return file;
}

FILE *file_create(const char *path)
{
	return file_open(path, "we");
}

FILE *file_prepare(const char *path)
{
	return file_open(path, "ae");
}

bool file_empty(FILE *file, const char *path)
{
	struct stat stat;

	if (fstat(fileno(file), &stat) || !S_ISREG(stat.st_mode) || !ftruncate(fileno(file), 0))
		return true;
	report("%s: The earlier content cannot be removed: %s.", path, strerror(errno));
	return false;
}

void file_discard(FILE *file, const char *path)
{
	struct stat stat;

	if (!fstat(fileno(file), &stat) && S_ISREG(stat.st_mode) && !stat.st_size)
		unlink(path);
	fclose(file);
}

bool file_close(FILE *file, const char *path)
{
	const bool bad = ferror(file);

	if (!fclose(file) && !bad)
		return true;
	report("%s: The file could not be written completely: %s.", path, strerror(errno));
	return false;
}
