// SPDX-License-Identifier: GPL-2.0
/* limpet-top MILLISECONDS KEY: the screen of `limpet top`, which starts it. */
#include <cli/common/command.h>
#include <cli/common/report.h>
#include <cli/common/text.h>
#include <cli/command/top/screen.h>

#define INTERVAL_MAX 3600000

int main(int argc, char **argv)
{
	long interval;
	enum top_sort sort = argc == 3 ? top_sort_of(argv[2]) : TOP_SORTS;

	report_begin("top");
	if (sort == TOP_SORTS || !text_number(argv[1], 1, INTERVAL_MAX, &interval)) {
		report("`limpet top` starts this program. It takes milliseconds and a key.");
		return COMMAND_USAGE;
	}
	return screen_run(snapshot_take, (int)interval, sort);
}
