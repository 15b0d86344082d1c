// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/common/program.h>
#include <cli/common/report.h>
#include <cli/common/system.h>
#include <cli/common/text.h>
#include <cli/command/top/top.h>

#define SCREEN "limpet-top" /* the program with the screen, next to this one */
#define REPORTS_MAX 1000000
#define INTERVAL_MAX 3600000 /* ms */

/* Prints a number of reports. Each one covers the time since the previous one. */
static int batch(long reports, long interval, enum top_sort sort, bool json)
{
	static struct snapshot snapshot[2];
	static struct top top;
	const struct timespec pause = { interval / 1000, interval % 1000 * 1000000 };

	if (!snapshot_take(&snapshot[0]))
		return COMMAND_REFUSED;
	for (long i = 0; i < reports; i++) {
		struct snapshot *before = &snapshot[i % 2], *now = &snapshot[(i + 1) % 2];

		nanosleep(&pause, NULL);
		if (!snapshot_take(now))
			return COMMAND_REFUSED;
		top_take(&top, before, now, sort);
		if (json)
			top_print_json(stdout, &top);
		else
			top_print(stdout, &top, sort);
		if (!json && i + 1 < reports)
			putchar('\n');
		fflush(stdout);
		snapshot_release(before);
	}
	snapshot_release(&snapshot[reports % 2]);
	return COMMAND_OK;
}

/* Executes the program with the screen, because this program has no terminal library. */
static int screen(long interval, enum top_sort sort)
{
	char path[PATH_MAX], number[24];

	if (!program_next(SCREEN, path))
		return report("%s: The folder of limpet is unknown. Mount /proc, or use --batch.",
			      SCREEN);
	snprintf(number, sizeof(number), "%ld", interval);
	system_choice_export();
	execl(path, SCREEN, number, top_sort_word(sort), (char *)NULL);
	return report("%s: %s. Install it next to limpet, or use --batch.", path, strerror(errno));
}

static bool sort_take(void *to, const char *value)
{
	enum top_sort *sort = to;

	*sort = top_sort_of(value);
	return *sort != TOP_SORTS;
}

static int top_main(const struct command *command, int argc, char **argv)
{
	long reports = 0, interval = 1000;
	enum top_sort sort = TOP_CPU;
	bool json = false;
	const struct command_option options[] = {
		OPTION_NUMBER("batch", &reports, 1, REPORTS_MAX, " reports"),
		OPTION_NUMBER("interval", &interval, 1, INTERVAL_MAX, " milliseconds"),
		OPTION_FLAG("json", &json),
		OPTION_TAKE("sort", sort_take, &sort,
			    "cpu, invocations, misses, dispatches, restarts or name"),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	if (json && !reports)
		reports = 1;
	return reports ? batch(reports, interval, sort, json) : screen(interval, sort);
}

const struct command top_command = {
	.name = "top",
	.summary = "shows the current activity of CPUs, threads and components",
	.arguments = "[--interval MS] [--sort KEY] [--batch N [--json]]",
	.help = "\n"
		"Shows a screen. The keys c, i, m, d, r and n sort it, space updates it, q quits.\n\n"
		"  --interval MS  milliseconds between two updates. Default: 1000\n"
		"  --sort KEY     cpu, invocations, misses, dispatches, restarts or name. Default: cpu\n"
		"  --batch N      print N reports, each about the time since the previous one\n"
		"  --json         one JSON object for each report; one report without --batch\n",
	.run = top_main,
};
