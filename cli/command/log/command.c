// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cli/command/log/ended.h>
#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/source.h>
#include <cli/common/system.h>
#include <cli/common/text.h>
#include <cli/host/log_file.h>
#include <cli/host/log_record.h>
#include <cli/restart/previous.h>

#define FOLLOW_PAUSE_NS 100000000
#define LINES_MAX 1000000

/* The options of the command. */
struct choice {
	bool follow, json, plain;
	long lines; /* maximum number of lines before --follow; 0: no limit */
	uint64_t since;
	const char *component; /* NULL: all */
	const char *system;    /* NULL: all of this log */
	unsigned int severity; /* the lowest severity to print */
};

/* A ring buffer of formatted lines. A new line replaces the oldest one. */
struct last {
	char **line;
	size_t next;
};

struct reader {
	struct log_names names;
	struct choice choice;
	FILE *file, *times;   /* the current part of the log, and its times or NULL */
	struct log_time now;  /* time of the current line */
	struct log_time next; /* time of the text from its offset on */
	uint64_t offset;      /* offset of the end of the current line in the file */
	struct last last;
	char *line; /* the current line, which can be incomplete */
	size_t capacity;
	size_t length;
};

static bool is_chosen(const struct choice *choice, const struct log_record *record)
{
	return record->ns >= choice->since && record->severity <= choice->severity &&
	       (!choice->component || !strcmp(record->component, choice->component)) &&
	       (!choice->system || !strcmp(record->system, choice->system));
}

/* Moves `now` to the last time whose text begins at or before the offset. */
static void time_find(struct reader *reader, uint64_t offset)
{
	while (reader->times) {
		if (reader->next.ns && reader->next.offset > offset)
			return;
		if (reader->next.ns)
			reader->now = reader->next;
		reader->next = (struct log_time){ 0 };
		clearerr(reader->times);
		if (!log_time_read(reader->times, &reader->next))
			return;
	}
}

/* Finds the source line of a line of the host process about a fault, "COMPONENT: ... at 0xADDRESS ...". */
static void source_look(struct log_record *record, char source[SOURCE_LINE])
{
	static const char before[] = " at 0x";
	const char *end = strstr(record->text, ": "), *at = strstr(record->text, before);
	char name[LIMPET_NAME_MAX];

	if (strcmp(record->component, "limpet") != 0 || !end || !at || at < end ||
	    snprintf(name, sizeof(name), "%.*s", (int)(end - record->text), record->text) >=
		    (int)sizeof(name))
		return;
	source_find(name, strtoull(at + strlen(before), NULL, 16), false, source);
	record->source = *source ? source : NULL;
}

static void print_record(FILE *out, const struct reader *reader, char *line)
{
	struct log_record record = { .ns = reader->now.ns, .system = reader->now.system };
	size_t length = strcspn(line, "\n");
	char *whole = strndup(line, length), source[SOURCE_LINE];

	log_record_parse(&record, line);
	source_look(&record, source);
	if (whole && is_chosen(&reader->choice, &record)) {
		if (reader->choice.plain) {
			text_print_safely(out, whole, length);
			fputc('\n', out);
		} else if (reader->choice.json) {
			log_record_print_json(out, &record);
		} else if (log_record_is_shown(&record)) {
			log_record_print(out, &record);
		}
	}
	free(whole);
}

/* Prints the current line. With --lines, stores it until the end of the log is reached. */
static void print_line(struct reader *reader)
{
	struct last *last = &reader->last;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	/* The line may start in the previous part. */
	time_find(reader, reader->offset > reader->length ? reader->offset - reader->length : 0);
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

/* Prints the stored lines, oldest first. Later lines are printed immediately. */
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
	if (reader->length + 2 > reader->capacity) {
		char *more = realloc(reader->line, reader->capacity * 2 + 256);

		if (!more)
			return false;
		reader->line = more;
		reader->capacity = reader->capacity * 2 + 256;
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

/* Prints the unread text of the file in whole lines. */
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
	reader->now = reader->next = (struct log_time){ 0 };
	reader->offset = 0;
	return true;
}

/* Returns whether the host process has started a new part under the same name. */
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
		print_rest(reader); /* after the check, so that the old part is complete */
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
			return report(
				"%s: No system has run since boot. Start one with `limpet run`.",
				reader->names.now);
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
	const char *symbols = NULL;
	bool previous = false;
	const struct command_option options[] = {
		{ .name = "follow", .letter = 'f', .flag = &choice->follow },
		{ .name = "lines",
		  .letter = 'n',
		  .number = &choice->lines,
		  .low = 1,
		  .high = LINES_MAX },
		OPTION_TAKE(
			"since", since_take, &choice->since,
			"an age such as 10s, 5m, 2h or 1d, or a time such as 2026-01-31 12:00:00 or 12:00"),
		OPTION_TEXT("component", &choice->component),
		OPTION_TAKE("severity", severity_take, &choice->severity,
			    "emergency, alert, critical, error, warning, notice, info or debug"),
		OPTION_FLAG("json", &choice->json),
		OPTION_FLAG("plain", &choice->plain),
		OPTION_TEXT("symbols", &symbols),
		OPTION_FLAG("previous", &previous),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	if (previous && choice->follow)
		return report_usage(command, "--previous and --follow exclude each other.");
	if (choice->json && choice->plain)
		return report_usage(command, "--json and --plain exclude each other.");
	if (symbols && !source_begin(symbols))
		return COMMAND_REFUSED;
	if (previous)
		return previous_print(choice->json);
	if (choice->lines)
		reader.last.line = calloc((size_t)choice->lines, sizeof(*reader.last.line));
	if (choice->lines && !reader.last.line)
		return report("%s", strerror(errno));
	code = system_log_names(&reader.names);
	if (code && system_choice() && log_ended_find(system_choice(), &reader.names)) {
		choice->system = system_choice();
		code = 0;
	}
	code = code ? system_report(code) : print_log(&reader);
	free(reader.line);
	return code;
}

const struct command log_command = {
	.name = "log",
	.summary = "prints what components wrote to their console",
	.arguments = "[-f] [-n N] [--since TIME] [--component NAME] [--severity WORD] "
		     "[--json | --plain] [--symbols DIR] | --previous [--json]",
	.help = "\n"
		"The host process of each system writes the log to " LOG_NAME ", or to log@NUMBER\n"
		"next to it, as two files of at most 1 MiB. The log outlives its system, until the next\n"
		"boot. `limpet --system NAME log` also finds a system that has ended. A line has the time\n"
		"at which the host process read it, the system, the component, and the severity unless\n"
		"that is info. Control characters are shown as \\xNN.\n\n"
		"  -f, --follow      print new lines as they are written, until interrupted\n"
		"  -n, --lines N     only the last N lines, 1 to 1000000\n"
		"  --since TIME      only lines since this time: an age such as 10s, 5m, 2h or 1d, or a\n"
		"                    local time such as \"2026-01-31 12:00:00\", 2026-01-31 or 12:00\n"
		"  --component NAME  only lines of this component; limpet: of the host process\n"
		"  --severity WORD   only lines of this severity and worse: emergency, alert, critical,\n"
		"                    error, warning, notice, info, debug. A component sets it with <0> to\n"
		"                    <7> at the start of a line; other lines are info\n"
		"  --json            one JSON object a line: time, time_ns, system, component,\n"
		"                    severity, text\n"
		"  --plain           lines as the components wrote them, with those for programs, such as\n"
		"                    the histograms that `limpet hist` draws\n"
		"  --symbols DIR     also show the source line of each fault, from the files that\n"
		"                    limpet-compose --debug DIR wrote\n"
		"  --previous        in beneath mode: why the previous Linux died, its registers and its\n"
		"                    kernel's log\n",
	.run = log_main,
};
