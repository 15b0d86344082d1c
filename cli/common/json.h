/* SPDX-License-Identifier: GPL-2.0 */
/* Writes JSON to a stream. Keys are NULL inside an array. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool more; /* a value comes before the next one at this level */
};

/* Starts a line with one object. */
void json_begin(struct json *json, FILE *out);
/* Ends the object and the line. */
void json_end(struct json *json);
void json_object(struct json *json, const char *key);
void json_object_end(struct json *json);
void json_array(struct json *json, const char *key);
void json_array_end(struct json *json);
void json_number(struct json *json, const char *key, uint64_t value);
/* Writes null for 0. */
void json_number_or_null(struct json *json, const char *key, uint64_t value);
/* Writes a number with three decimals. */
void json_real(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
/* Writes a string, or null for NULL. Invalid UTF-8 is read as Latin-1. */
void json_text(struct json *json, const char *key, const char *value);

#endif
