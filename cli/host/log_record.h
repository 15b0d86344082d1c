/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of the log as records: time, system, component, severity, text. */
#ifndef HOST_LOG_RECORD_H
#define HOST_LOG_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define LOG_INFO 6u /* the default severity; as in syslog(3), 0 is the worst */

struct log_record {
	uint64_t ns;	       /* time since 1970; 0: unknown */
	const char *system;    /* "" if unknown */
	const char *component; /* "" if unknown; "limpet": the host process */
	unsigned int severity; /* 0 to 7 */
	const char *text;
	const char *source; /* "FILE:LINE" of a fault, or NULL */
};

/*
 * Parses a line "component: text", or "component: <N>text" with severity N. Modifies the line. Does not set the time or
 * the system.
 */
void log_record_parse(struct log_record *record, char *line);
/* Returns the word for a severity. */
const char *log_severity_word(unsigned int severity);
/* Finds the severity for a word or a digit. Returns false if it is unknown. */
bool log_severity_find(const char *word, unsigned int *severity);
/*
 * Parses an age before `now`, as "10s", "5m", "2h" or "1d", or a local time "YYYY-MM-DD HH:MM:SS". The time can lack
 * the seconds, the time of day, or the date, which is then today. Returns false for other text.
 */
bool log_since_parse(const char *text, uint64_t now, uint64_t *ns);

/*
 * Returns whether the text format shows the record. Lines for programs are omitted: `limpet hist` draws the histograms,
 * and the other ones are followed by text for people.
 */
bool log_record_is_shown(const struct log_record *record);
/* Prints one line of text: time, system, component, severity unless it is info, text, source. */
void log_record_print(FILE *out, const struct log_record *record);
/* Prints one line with a JSON object. */
void log_record_print_json(FILE *out, const struct log_record *record);

#endif
