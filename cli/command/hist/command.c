// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/command.h>
#include <cli/command/hist/hist.h>
#include <cli/common/file.h>
#include <cli/host/log_file.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/system.h>
#include <client/device.h>

#define NAME_LOG "Name a readable file with lines of `limpet log --plain`."

/* Returns false after it has reported an error. */
static bool read_from(struct hists *hists, FILE *file, const char *name)
{
	char *line = NULL;
	size_t size = 0;
	unsigned long number = 0;
	bool ok = true;

	errno = 0;
	while (ok && getline(&line, &size, file) > 0) {
		number++;
		ok = hist_line(hists, line);
	}
	free(line);
	if (ferror(file)) {
		report("%s: %s. " NAME_LOG, name, strerror(errno));
		return false;
	}
	if (!ok)
		report("%s: line %lu: %s. Remove the line.", name, number, hists->why);
	return ok;
}

static bool read_file(struct hists *hists, const char *name, bool log)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "re") : stdin;
	bool ok;

	if (!file) {
		if (log && errno == ENOENT)
			report("%s: No system has run since boot. Start one with `limpet run`.",
			       name);
		else
			report("%s: %s. " NAME_LOG, name, strerror(errno));
		return false;
	}
	ok = read_from(hists, file, name);
	if (file != stdin)
		fclose(file);
	return ok;
}

static bool read_log(struct hists *hists)
{
	struct log_names names;
	int error = system_log_names(&names);

	if (error) {
		system_report(error);
		return false;
	}
	return (access(names.old, F_OK) || read_file(hists, names.old, true)) &&
	       read_file(hists, names.now, true);
}

static int show(const struct hists *hists, const char *log, bool ascii, bool json)
{
	if (!hists->count)
		return report(
			"%s%sThe log has no histogram. The component control prints histograms with the "
			"argument histogram = 1.",
			log ? log : "", log ? ": " : "");
	for (unsigned int i = 0; i < hists->count; i++) {
		if (json) {
			hist_print_json(stdout, &hists->series[i]);
			continue;
		}
		if (i)
			putchar('\n');
		hist_draw(stdout, &hists->series[i], hist_columns(), hist_blocks() && !ascii);
	}
	return COMMAND_OK;
}

/* Returns the rate of this machine's time stamp, or 0 if Limpet is not attached or its device cannot be opened. */
static uint64_t ticks_per_ms(void)
{
	struct limpet_ioc_info info = { 0 };
	int fd = system_open();

	if (fd < 0)
		return 0;
	if (limpet_info(fd, &info))
		info.ticks_per_ms = 0;
	close(fd);
	return info.ticks_per_ms;
}

static int hist_main(const struct command *command, int argc, char **argv)
{
	static struct hists hists;
	const char *svg = NULL;
	FILE *picture = NULL;
	bool ascii = false, ticks = false, json = false, ok;
	const struct command_option options[] = {
		OPTION_FLAG("ascii", &ascii),
		OPTION_TEXT("svg", &svg),
		OPTION_FLAG("ticks", &ticks),
		OPTION_FLAG("json", &json),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ .high = 1 },
			  &code))
		return code;
	if (ascii && json)
		return report_usage(command, "--ascii and --json exclude each other.");
	picture = svg ? file_prepare(svg) : NULL;
	if (svg && !picture)
		return COMMAND_REFUSED;
	if (optind < argc)
		ok = read_file(&hists, argv[optind], false);
	else
		ok = read_log(&hists);
	/* The file can be of another machine, so the rate of this one does not apply. */
	if (!ticks)
		hist_scale(&hists, optind < argc ? 0 : ticks_per_ms());
	code = ok ? show(&hists, argv[optind], ascii, json) : COMMAND_REFUSED;
	if (picture && code == COMMAND_OK)
		code = hist_write(picture, &hists, svg, "histograms of a system", !json);
	else if (picture)
		file_discard(picture, svg);
	hist_release(&hists);
	return code;
}

const struct command hist_command = {
	.name = "hist",
	.summary = "draws histograms that components have printed",
	.arguments = "[--svg FILE] [--ascii | --json] [--ticks] [LOG]",
	.help = "\n"
		"Adds up all reports of each case. LOG is a file with lines of `limpet log --plain`,\n"
		"or - for standard input; default: the log since boot. Values are in nanoseconds, by the clock of the\n"
		"machine that wrote the log. Lines of older components do not have the clock's rate. Their\n"
		"values are in ticks of the time stamp, unless they are in the log of this machine.\n\n"
		"  --svg FILE  also write a picture\n"
		"  --ascii     no block characters; the default if the locale lacks UTF-8\n"
		"  --json      one JSON object for each histogram, with all its buckets\n"
		"  --ticks     show values in ticks of the time stamp\n",
	.run = hist_main,
};
