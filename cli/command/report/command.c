// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cli/command/report/survey.h>
#include <cli/common/command.h>
#include <cli/common/folder.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/system.h>

#define PAGE "limpet-report.html"

/* Makes sure that the output can be written, before the time of a check is spent. Returns false after it has reported an error. */
static bool output_prepare(const char *path)
{
	FILE *file;

	if (!survey_is_page(path))
		return folder_make(path);
	file = fopen(path, "ae");
	if (file)
		return !fclose(file);
	report("%s: %s", path, strerror(errno));
	return false;
}

/* Removes the file or folder of output_prepare() if it is empty. A page of an earlier run stays. */
static void output_remove(const char *path)
{
	struct stat stat;

	if (!survey_is_page(path))
		rmdir(path);
	else if (!lstat(path, &stat) && S_ISREG(stat.st_mode) && !stat.st_size)
		unlink(path);
}

static int survey_end(struct survey *survey, const char *path, bool json)
{
	const struct check *check = &survey->check;
	unsigned int failed = 0;

	for (unsigned int i = 0; i < check->threads; i++)
		failed += check->thread[i].verdict == CHECK_FAILED;
	if (!survey_write(survey, path))
		return COMMAND_REFUSED;
	if (json)
		check_print_json(stdout, check);
	else
		printf("%u periodic threads, %u of them not real-time: the report is in %s%s\n",
		       check->threads, failed, path, survey_is_page(path) ? "" : "/index.html");
	return COMMAND_OK;
}

static int survey_run(struct survey *survey, const char *path, double seconds, bool load, bool json)
{
	int fd, error, code = COMMAND_REFUSED;
	bool collected = false;

	fd = system_open();
	if (fd < 0)
		return system_report(fd);
	if (!output_prepare(path)) {
		close(fd);
		return COMMAND_REFUSED;
	}
	if (!load || load_start()) {
		error = survey_collect(survey, fd, "", seconds);
		if (load)
			load_stop();
		collected = !error;
		code = error ? check_report(error) : survey_end(survey, path, json);
	}
	if (!collected)
		output_remove(path);
	close(fd);
	return code;
}

static int report_main(const struct command *command, int argc, char **argv)
{
	static struct survey survey;
	const char *path = PAGE;
	double seconds = CHECK_SECONDS;
	long late = 0;
	bool load = false, json = false;
	const struct command_option options[] = {
		{ .name = "output", .letter = 'o', .text = &path },
		OPTION_TAKE("for", check_seconds_take, &seconds, CHECK_SECONDS_VALID),
		OPTION_NUMBER("late", &late, 1, CHECK_LATE_MOST, " µs"),
		OPTION_FLAG("load", &load),
		OPTION_FLAG("json", &json),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ .high = 1 },
			  &code))
		return code;
	if (optind < argc)
		system_choose(argv[optind]);
	if (!snapshot_take(&survey.check.snapshot))
		return COMMAND_REFUSED;
	survey.check.late_ns = (uint64_t)late * 1000;
	code = survey_run(&survey, path, seconds, load, json);
	survey_release(&survey);
	return code;
}

const struct command report_command = {
	.name = "report",
	.summary = "writes what a system is, and whether it is real-time, as a page with pictures",
	.arguments = "[SYSTEM] [-o FILE.html|DIR] [--for TIME] [--late US] [--load] [--json]",
	.help = "\n"
		"Checks the system as `limpet check` does. The page needs no other file and no network.\n\n"
		"  -o, --output FILE.html\n"
		"              the page. Default: " PAGE "\n"
		"  -o, --output DIR\n"
		"              a folder that is not there yet: the page index.html, each picture as SVG,\n"
		"              and as PNG if rsvg-convert is installed, and the figures as check.json\n"
		"  --for TIME  how long to check, as 60s, 5m or 500ms. Default: 10s\n"
		"  --late US   a thread also fails if a job begins later than so many µs after its release\n"
		"  --load      keep all CPUs of Linux busy meanwhile: computing, memory, processes, files\n"
		"  --json      print the figures of the check as one JSON object; times in µs\n\n"
		"Exit codes: 0 the report is written, whatever the verdict, 1 it is not, 2 wrong usage.\n",
	.run = report_main,
};
