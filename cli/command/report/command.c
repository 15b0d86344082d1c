// SPDX-License-Identifier: GPL-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <cli/command/report/survey.h>
#include <cli/common/command.h>
#include <cli/common/file.h>
#include <cli/common/folder.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/system.h>

#define PAGE "limpet-report.html"

/*
 * Creates the page or the folder before the check, so that a wrong path fails early. Returns false after it has
 * reported an error.
 */
static bool output_prepare(const char *path)
{
	FILE *file;

	if (!survey_is_page(path))
		return folder_make(path);
	file = file_prepare(path);
	return file && !fclose(file);
}

/* Removes the file or folder of output_prepare() if it is empty. Keeps the page of an earlier run. */
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
		printf("%u of %u periodic threads are not real-time. The report is in %s%s\n",
		       failed, check->threads, path, survey_is_page(path) ? "" : "/index.html");
	return COMMAND_OK;
}

static int survey_run(struct survey *survey, const char *path, const struct check_options *options)
{
	int fd = system_open(), code = COMMAND_REFUSED;

	if (fd < 0)
		return system_report(fd);
	if (output_prepare(path)) {
		code = survey_collect(survey, fd, options);
		if (code == COMMAND_OK)
			code = survey_end(survey, path, options->json);
		else
			output_remove(path);
	}
	close(fd);
	return code;
}

static int report_main(const struct command *command, int argc, char **argv)
{
	static struct survey survey;
	const char *path = PAGE;
	struct check_options chosen = CHECK_OPTIONS_DEFAULT;
	const struct command_option options[] = {
		{ .name = "output", .letter = 'o', .text = &path },
		CHECK_OPTIONS(chosen),
		CHECK_OPTION_LATE(chosen),
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
	code = survey_run(&survey, path, &chosen);
	survey_release(&survey);
	return code;
}

const struct command report_command = {
	.name = "report",
	.summary = "writes a page with pictures about a system and its real-time behaviour",
	.arguments = "[SYSTEM] [-o FILE.html|DIR] [--for TIME] [--late US] [--load] [--json]",
	.help = "\n"
		"Checks the system as `limpet check` does. The page needs no other file and no network.\n\n"
		"  -o, --output FILE.html\n"
		"              the page. Default: " PAGE "\n"
		"  -o, --output DIR\n"
		"              a folder that is empty or does not exist. It gets the page as index.html, each\n"
		"              picture as SVG, and as PNG if rsvg-convert is installed, and the figures as\n"
		"              check.json\n"
		"  --for TIME  duration of the check, as 60s, 5m or 500ms. Default: 10s\n"
		"  --late US   a thread also fails if a job starts more than US µs after its release\n"
		"  --load      keep all CPUs of Linux busy during the check: computing, memory, processes, files\n"
		"  --json      print the figures of the check as one JSON object; times in µs\n\n"
		"Exit codes: 0 the report was written, with any verdict, 1 it was not written, 2 wrong usage.\n",
	.run = report_main,
};
