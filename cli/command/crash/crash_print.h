/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CLI_CRASH_PRINT_H
#define CLI_CRASH_PRINT_H

#include <stdio.h>

#include <cli/command/crash/crash_log.h>
#include <cli/common/json.h>

/* The line about all crashes of a CPU, and the lines of one. */
void crash_print_head(FILE *out, unsigned int cpu, const struct crash_log *log);
void crash_print(FILE *out, const struct crash_log *log, const struct limpet_crash *crash);
/* Print the start of an object with the array `crashes`; an element; the end of both. */
void crash_json_head(struct json *json, unsigned int cpu, const struct crash_log *log);
void crash_json(struct json *json, const struct crash_log *log, const struct limpet_crash *crash);
void crash_json_tail(struct json *json);

#endif
