/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of the log as records: time, system, component, severity, text. */
#ifndef LOG_RECORD_H
#define LOG_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cli/host/log_file.h>

#define LOG_INFO 6u /* severity of a line that has none; as of syslog(3), 0 is the worst */

struct log_record {
	uint64_t ns;	    /* since 1970; 0: unknown */
	const char *system; /* "" if unknown */
	const char *
		component; /* "" if the line has no name before it; "limpet": the host process's own */
	unsigned int severity; /* 0 to 7 */
	const char *text;
};

/*
 * Takes a line apart, "component: text" or "component: <N>text" with severity N, which writes into the line. The times
 * stay as they are.
 */
void log_record_parse(struct log_record *record, char *line);
/* Returns the word for a severity. */
const char *log_severity_word(unsigned int severity);
/* Finds the severity for a word or a digit. Returns false if there is none. */
bool log_severity_find(const char *word, unsigned int *severity);
/*
 * Parses the start of a range: "10s", "5m", "2h" or "1d" before `now`, or a local time "YYYY-MM-DD HH:MM:SS", without
 * seconds, or without date for today. Returns false if it is none of these.
 */
bool log_since_parse(const char *text, uint64_t now, uint64_t *ns);

/* As one line of text: time, system, component, severity unless it is info. */
void log_record_print(FILE *out, const struct log_record *record);
/* As one JSON object a line. */
void log_record_print_json(FILE *out, const struct log_record *record);

#endif
