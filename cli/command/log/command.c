// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cli/common/command.h>
#include <cli/host/log_file.h>
#include <cli/common/json.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/system.h>
#include <cli/restart/previous.h>
#include <cli/common/text.h>

#define FOLLOW_PAUSE_NS 100000000

struct reader {
	struct log_names names;
	bool follow;
	bool json;
	char *line; /* begun, not yet ended by the writer */
	size_t room;
	size_t length;
};

static void print_line(const struct reader *reader, char *line, size_t length)
{
	struct json json;

	if (!reader->json) {
		text_print_safely(stdout, line, length);
		return;
	}
	line[strcspn(line, "\n")] = 0;
	json_begin(&json, stdout);
	json_text(&json, "text", line);
	json_end(&json);
}

static bool read_character(struct reader *reader, int c)
{
	if (reader->length + 2 > reader->room) {
		char *more = realloc(reader->line, reader->room * 2 + 256);

		if (!more)
			return false;
		reader->line = more;
		reader->room = reader->room * 2 + 256;
	}
	reader->line[reader->length++] = (char)c;
	reader->line[reader->length] = 0;
	return true;
}

static void flush_line(struct reader *reader)
{
	if (reader->length)
		print_line(reader, reader->line, reader->length);
	reader->length = 0;
}

/* Prints what the file has got, whole lines at a time. */
static void print_rest(struct reader *reader, FILE *file)
{
	int c;

	clearerr(file);
	while ((c = getc(file)) != EOF) {
		if (!read_character(reader, c))
			break;
		if (c == '\n')
			flush_line(reader);
	}
	fflush(stdout);
}

/* True when the name stands for another file now: the host has begun a new one. */
static bool was_rotated(const struct reader *reader, FILE *file)
{
	struct stat named;
	struct stat ours;

	return !stat(reader->names.now, &named) && !fstat(fileno(file), &ours) &&
	       named.st_ino != ours.st_ino;
}

static void follow(struct reader *reader, FILE *file)
{
	const struct timespec pause = { .tv_nsec = FOLLOW_PAUSE_NS };
	bool rotated;

	while (file && !ferror(stdout)) {
		rotated = was_rotated(reader, file);
		print_rest(reader, file); /* after the look: nothing more comes into the old one */
		if (rotated) {
			fclose(file);
			file = fopen(reader->names.now, "re");
			continue;
		}
		nanosleep(&pause, NULL);
	}
}

static void print_old(struct reader *reader)
{
	FILE *file = fopen(reader->names.old, "re");

	if (!file)
		return;
	print_rest(reader, file);
	fclose(file);
}

static int print_log(struct reader *reader)
{
	FILE *file;

	print_old(reader);
	file = fopen(reader->names.now, "re");
	if (!file && errno == ENOENT)
		return report("%s: no system has run since boot", reader->names.now);
	if (!file)
		return report("%s: %s", reader->names.now, strerror(errno));
	print_rest(reader, file);
	if (reader->follow) {
		follow(reader, file);
	} else {
		flush_line(reader);
		fclose(file);
	}
	return COMMAND_OK;
}

static int log_main(const struct command *command, int argc, char **argv)
{
	struct reader reader = { 0 };
	bool previous = false;
	const struct command_option options[] = {
		OPTION_FLAG("follow", &reader.follow),
		OPTION_FLAG("json", &reader.json),
		OPTION_FLAG("previous", &previous),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	if (previous && reader.follow)
		return report_usage(command, "--previous has an end, there is nothing to follow");
	if (previous)
		return previous_print(reader.json);
	code = system_log_names(&reader.names);
	code = code ? system_report(code) : print_log(&reader);
	free(reader.line);
	return code;
}

const struct command log_command = {
	.name = "log",
	.summary = "prints what components wrote to their console",
	.arguments = "[--follow | --previous] [--json]",
	.help = "\n"
		"The host process of each system keeps it in " LOG_NAME
		", or log@NUMBER beside it,\n"
		"two files of at most 1 MiB, until the next boot; it outlives the systems. Control\n"
		"characters are shown as \\xNN.\n\n"
		"  --follow    go on with what is written from now on, until interrupted\n"
		"  --previous  beneath: of the Linux that died before this one was started: why, its\n"
		"              registers and its kernel's log\n"
		"  --json      one JSON object a line: {\"text\": \"...\"}\n",
	.run = log_main,
};
