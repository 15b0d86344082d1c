// SPDX-License-Identifier: GPL-2.0
/* Outputs of histograms: the terminal, and files. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cli/command/hist/hist.h>
#include <cli/common/command.h>
#include <cli/common/file.h>

#define COLUMNS 100

bool hist_blocks(void)
{
	const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

unsigned int hist_columns(void)
{
	struct winsize size = { 0 };

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : COLUMNS;
}

int hist_write(const struct hists *hists, const char *name, const char *title, bool say)
{
	FILE *file = file_create(name);

	if (!file)
		return COMMAND_REFUSED;
	hist_svg(file, hists, title, true);
	if (!file_close(file, name))
		return COMMAND_REFUSED;
	if (say)
		printf("\nThe picture is in %s\n", name);
	return COMMAND_OK;
}
