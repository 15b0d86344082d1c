// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cli/command/log/record.h>
#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/system.h>
#include <cli/common/text.h>
#include <cli/restart/previous.h>

#define FOLLOW_PAUSE_NS 100000000
#define LINES_MAX 1000000

/* What is printed of the log, and how. */
struct choice {
	bool follow, json, plain;
	long lines; /* the last ones before it follows; 0: all */
	uint64_t since;
	const char *component;
	unsigned int severity; /* the worst ones up to this */
};

/* The last lines that were printed into memory. A line is freed when another takes its place. */
struct last {
	char **line;
	size_t next;
};

struct reader {
	struct log_names names;
	struct choice choice;
	FILE *file, *times; /* of the part of the log that is read; times can be NULL */
	struct log_time now,
		after;	 /* of the line, and the next one, which holds from its offset on */
	uint64_t offset; /* in the file, of the end of the line */
	struct last last;
	char *line; /* begun, not yet ended by the writer */
	size_t room;
	size_t length;
};

static bool is_chosen(const struct choice *choice, const struct log_record *record)
{
	return record->ns >= choice->since && record->severity <= choice->severity &&
	       (!choice->component || !strcmp(record->component, choice->component));
}

/* Moves to the last time whose text begins at the offset or before. */
static void time_find(struct reader *reader, uint64_t offset)
{
	while (reader->times) {
		if (reader->after.ns && reader->after.offset > offset)
			return;
		if (reader->after.ns)
			reader->now = reader->after;
		reader->after = (struct log_time){ 0 };
		clearerr(reader->times);
		if (!log_time_read(reader->times, &reader->after))
			return;
	}
}

static void print_record(FILE *out, const struct reader *reader, char *line)
{
	struct log_record record = { .ns = reader->now.ns, .system = reader->now.system };
	size_t length = strcspn(line, "\n");
	char *whole = strndup(line, length);

	log_record_parse(&record, line);
	if (whole && is_chosen(&reader->choice, &record)) {
		if (reader->choice.plain) {
			text_print_safely(out, whole, length);
			fputc('\n', out);
		} else if (reader->choice.json) {
			log_record_print_json(out, &record);
		} else {
			log_record_print(out, &record);
		}
	}
	free(whole);
}

/* With a number of last lines they are kept until the end of the log is found. */
static void print_line(struct reader *reader)
{
	struct last *last = &reader->last;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	time_find(reader, reader->offset - reader->length);
	if (!last->line) {
		print_record(stdout, reader, reader->line);
		return;
	}
	out = open_memstream(&text, &size);
	if (!out)
		return;
	print_record(out, reader, reader->line);
	fclose(out);
	if (!size) {
		free(text);
		return;
	}
	free(last->line[last->next]);
	last->line[last->next] = text;
	last->next = (last->next + 1) % (size_t)reader->choice.lines;
}

/* Prints the lines that were kept, oldest first. Later ones are printed as they come. */
static void last_flush(struct reader *reader)
{
	struct last *last = &reader->last;
	size_t count = (size_t)reader->choice.lines;

	for (size_t i = 0; last->line && i < count; i++) {
		char *text = last->line[(last->next + i) % count];

		if (text)
			fputs(text, stdout);
		free(text);
	}
	free(last->line);
	last->line = NULL;
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
	reader->offset++;
	return true;
}

static void flush_line(struct reader *reader)
{
	if (reader->length)
		print_line(reader);
	reader->length = 0;
}

/* Prints what the file has got, whole lines at a time. */
static void print_rest(struct reader *reader)
{
	int c;

	clearerr(reader->file);
	while ((c = getc(reader->file)) != EOF) {
		if (!read_character(reader, c))
			break;
		if (c == '\n')
			flush_line(reader);
	}
	fflush(stdout);
}

static void part_close(struct reader *reader)
{
	if (reader->file)
		fclose(reader->file);
	if (reader->times)
		fclose(reader->times);
	reader->file = reader->times = NULL;
}

/* Opens a part of the log, and the times of its text. */
static bool part_open(struct reader *reader, const char *name)
{
	char times[LOG_NAME_SIZE + sizeof(LOG_TIMES)];

	part_close(reader);
	reader->file = fopen(name, "re");
	if (!reader->file)
		return false;
	snprintf(times, sizeof(times), "%s" LOG_TIMES, name);
	reader->times = fopen(times, "re");
	reader->now = reader->after = (struct log_time){ 0 };
	reader->offset = 0;
	return true;
}

/* True when the name stands for another file now: the host has begun a new one. */
static bool was_rotated(const struct reader *reader)
{
	struct stat named;
	struct stat ours;

	return !stat(reader->names.now, &named) && !fstat(fileno(reader->file), &ours) &&
	       named.st_ino != ours.st_ino;
}

static void follow(struct reader *reader)
{
	const struct timespec pause = { .tv_nsec = FOLLOW_PAUSE_NS };
	bool rotated;

	while (!ferror(stdout)) {
		rotated = was_rotated(reader);
		print_rest(reader); /* after the look: nothing more comes into the old one */
		if (rotated && !part_open(reader, reader->names.now))
			return;
		if (!rotated)
			nanosleep(&pause, NULL);
	}
}

static int print_log(struct reader *reader)
{
	if (part_open(reader, reader->names.old))
		print_rest(reader);
	if (!part_open(reader, reader->names.now)) {
		int error = errno;

		last_flush(reader);
		if (error == ENOENT)
			return report("%s: no system has run since boot", reader->names.now);
		return report("%s: %s", reader->names.now, strerror(error));
	}
	print_rest(reader);
	if (!reader->choice.follow)
		flush_line(reader);
	last_flush(reader);
	fflush(stdout);
	if (reader->choice.follow)
		follow(reader);
	part_close(reader);
	return COMMAND_OK;
}

static bool since_take(void *to, const char *text)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return log_since_parse(text, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, to);
}

static bool severity_take(void *to, const char *text)
{
	return log_severity_find(text, to);
}

static int log_main(const struct command *command, int argc, char **argv)
{
	struct reader reader = { .choice.severity = 7 };
	struct choice *choice = &reader.choice;
	bool previous = false;
	const struct command_option options[] = {
		{ .name = "follow", .letter = 'f', .flag = &choice->follow },
		{ .name = "lines",
		  .letter = 'n',
		  .number = &choice->lines,
		  .low = 1,
		  .high = LINES_MAX },
		OPTION_TAKE("since", since_take, &choice->since,
			    "10s, 5m, 2h or 1d, or a time as 2026-01-31 12:00:00 or 12:00"),
		OPTION_TEXT("component", &choice->component),
		OPTION_TAKE("severity", severity_take, &choice->severity,
			    "emergency, alert, critical, error, warning, notice, info or debug"),
		OPTION_FLAG("json", &choice->json),
		OPTION_FLAG("plain", &choice->plain),
		OPTION_FLAG("previous", &previous),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	if (previous && choice->follow)
		return report_usage(command, "--previous has an end, there is nothing to follow");
	if (choice->json && choice->plain)
		return report_usage(command, "--json and --plain exclude each other");
	if (previous)
		return previous_print(choice->json);
	if (choice->lines)
		reader.last.line = calloc((size_t)choice->lines, sizeof(*reader.last.line));
	code = system_log_names(&reader.names);
	code = code ? system_report(code) : print_log(&reader);
	free(reader.line);
	return code;
}

const struct command log_command = {
	.name = "log",
	.summary = "prints what components wrote to their console",
	.arguments = "[-f] [-n N] [--since TIME] [--component NAME] [--severity WORD] "
		     "[--json | --plain] | --previous [--json]",
	.help = "\n"
		"The host process of each system keeps it in " LOG_NAME
		", or log@NUMBER next to it,\n"
		"two files of at most 1 MiB, until the next boot; it outlives the systems. A line has\n"
		"the time at which the host process read it, the system, the component, and the\n"
		"severity unless that is info. Control characters are shown as \\xNN.\n\n"
		"  -f, --follow      go on with what is written from now on, until interrupted\n"
		"  -n, --lines N     only the last N lines, 1 to 1000000\n"
		"  --since TIME      only what is not older: 10s, 5m, 2h, 1d, or a local time such as\n"
		"                    \"2026-01-31 12:00:00\", 2026-01-31 or 12:00\n"
		"  --component NAME  only what this component wrote; limpet: the host process\n"
		"  --severity WORD   only lines of this severity and worse: emergency, alert, critical,\n"
		"                    error, warning, notice, info, debug. A component gives it by <0> to\n"
		"                    <7> at the start of a line; other lines are info\n"
		"  --json            one JSON object a line: time, time_ns, system, component,\n"
		"                    severity, text\n"
		"  --plain           lines as the components wrote them\n"
		"  --previous        beneath: of the Linux that died before this one was started: why,\n"
		"                    its registers and its kernel's log\n",
	.run = log_main,
};
