// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cli/common/json.h>
#include <cli/common/text.h>

#include "log_record.h"

#define SECOND UINT64_C(1000000000)

static const char *const severities[] = { "emergency", "alert",	 "critical", "error",
					  "warning",   "notice", "info",     "debug" };
#define SEVERITIES (sizeof(severities) / sizeof(*severities))

/* Returns the length of the component's name at the start of the line, or 0. */
static size_t name_length(const char *line)
{
	size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789.-");

	return length && line[length] == ':' && line[length + 1] == ' ' ? length : 0;
}

void log_record_parse(struct log_record *record, char *line)
{
	size_t length = name_length(line);

	line[strcspn(line, "\n")] = 0;
	record->component = "";
	record->severity = LOG_INFO;
	record->source = NULL;
	record->text = line;
	if (length) {
		line[length] = 0;
		record->component = line;
		record->text = line + length + 2;
	}
	if (record->text[0] == '<' && record->text[1] >= '0' && record->text[1] <= '7' &&
	    record->text[2] == '>') {
		record->severity = (unsigned int)(record->text[1] - '0');
		record->text += 3;
	}
}

const char *log_severity_word(unsigned int severity)
{
	return severity < SEVERITIES ? severities[severity] : "unknown";
}

bool log_severity_find(const char *word, unsigned int *severity)
{
	for (*severity = 0; *severity < SEVERITIES; (*severity)++)
		if (!strcmp(word, severities[*severity]) ||
		    (word[0] == (char)('0' + *severity) && !word[1]))
			return true;
	return false;
}

/* Parses an age, which is a number and a unit. */
static bool age_parse(const char *text, uint64_t now, uint64_t *ns)
{
	static const char units[] = "smhd";
	static const uint64_t seconds[] = { 1, 60, 3600, 86400 };
	const char *unit;
	char *end;
	uint64_t count = strtoull(text, &end, 10);

	if (*text < '0' || *text > '9' || !*end || end[1])
		return false;
	unit = strchr(units, *end);
	if (!unit || count > now / SECOND / seconds[unit - units])
		return false;
	*ns = now - count * seconds[unit - units] * SECOND;
	return true;
}

bool log_since_parse(const char *text, uint64_t now, uint64_t *ns)
{
	static const char *const formats[] = { "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d",
					       "%H:%M:%S", "%H:%M" };
	time_t today = (time_t)(now / SECOND), found;
	const char *end;
	struct tm tm;

	if (age_parse(text, now, ns))
		return true;
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		localtime_r(&today, &tm);
		if (i < 3)
			tm = (struct tm){ 0 };
		tm.tm_sec = 0;
		tm.tm_isdst = -1;
		end = strptime(text, formats[i], &tm);
		found = end && !*end ? mktime(&tm) : -1;
		if (found < 0)
			continue;
		*ns = (uint64_t)found * SECOND;
		return true;
	}
	return false;
}

/* Formats the time as local time with microseconds, or as "-" if it is unknown. */
static const char *time_text(uint64_t ns, char text[40])
{
	time_t seconds = (time_t)(ns / SECOND);
	struct tm tm;
	size_t length;

	if (!ns)
		return "-";
	localtime_r(&seconds, &tm);
	length = strftime(text, 40, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(text + length, 40 - length, ".%06" PRIu64, ns % SECOND / 1000);
	return text;
}

static void print_word(FILE *out, const char *before, const char *word, const char *after)
{
	if (!*word)
		return;
	fputs(before, out);
	text_print_safely(out, word, strlen(word));
	fputs(after, out);
}

bool log_record_is_shown(const struct log_record *record)
{
	static const char *const omitted[] = { "{\"histogram\":", "{\"figure\":", "{\"overruns\":" };

	for (size_t i = 0; i < sizeof(omitted) / sizeof(*omitted); i++)
		if (!strncmp(record->text, omitted[i], strlen(omitted[i])))
			return false;
	return true;
}

void log_record_print(FILE *out, const struct log_record *record)
{
	char text[40];

	fputs(time_text(record->ns, text), out);
	print_word(out, " ", record->system, "");
	print_word(out, " ", record->component, ":");
	if (record->severity != LOG_INFO)
		fprintf(out, " [%s]", log_severity_word(record->severity));
	print_word(out, " ", record->text, "");
	if (record->source)
		print_word(out, "  ", record->source, "");
	fputc('\n', out);
}

void log_record_print_json(FILE *out, const struct log_record *record)
{
	char text[40];
	struct json json;

	json_begin(&json, out);
	json_text(&json, "time", record->ns ? time_text(record->ns, text) : NULL);
	json_number_or_null(&json, "time_ns", record->ns);
	json_text(&json, "system", *record->system ? record->system : NULL);
	json_text(&json, "component", *record->component ? record->component : NULL);
	json_text(&json, "severity", log_severity_word(record->severity));
	json_text(&json, "text", record->text);
	if (record->source)
		json_text(&json, "source", record->source);
	json_end(&json);
}
