// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cli/common/source.h>
#include <cli/common/report.h>

/* The shell reads the path from the environment, so that the path needs no quotes. */
#define VARIABLE "LIMPET_SYMBOLS"
#define COMMAND "exec addr2line -e \"$" VARIABLE "\" 0x%" PRIx64 " 2>/dev/null"

static const char *symbols;

bool source_begin(const char *folder)
{
	struct stat is;

	const char *wrong = stat(folder, &is)	  ? strerror(errno)
			    : S_ISDIR(is.st_mode) ? NULL
						  : "This is not a folder";

	if (wrong) {
		report("--symbols %s: %s. Give the folder that `limpet-compose --debug` wrote.",
		       folder, wrong);
		return false;
	}
	if (system("command -v addr2line >/dev/null")) {
		report("--symbols needs the program addr2line. Install Debian's package binutils.");
		return false;
	}
	symbols = folder;
	return true;
}

/* Returns whether a name from a record is one that the composer accepts, and therefore not a path. */
static bool name_valid(const char *name)
{
	return *name >= 'a' && *name <= 'z' &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-")];
}

void source_find(const char *component, uint64_t address, bool returns, char line[SOURCE_LINE])
{
	char path[PATH_MAX], command[sizeof(COMMAND) + 16];
	FILE *output;

	line[0] = 0;
	if (!symbols || !address || !name_valid(component) ||
	    snprintf(path, sizeof(path), "%s/%s.elf", symbols, component) >= (int)sizeof(path))
		return;
	snprintf(command, sizeof(command), COMMAND, address - returns);
	setenv(VARIABLE, path, 1);
	output = popen(command, "re");
	if (!output)
		return;
	if (!fgets(line, SOURCE_LINE, output) || *line == '?' || strstr(line, ":?"))
		line[0] = 0;
	line[strcspn(line, " \n")] = 0;
	pclose(output);
}
