// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/program.h>

bool program_path(char path[PATH_MAX])
{
	const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

	path[length > 0 ? length : 0] = 0;
	return length > 0;
}

bool program_next(const char *name, char path[PATH_MAX])
{
	char *end;
	size_t space;

	if (!program_path(path))
		return false;
	end = strrchr(path, '/') + 1; /* Linux's paths are absolute */
	space = (size_t)(path + PATH_MAX - end);
	return (size_t)snprintf(end, space, "%s", name) < space;
}
