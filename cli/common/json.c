// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stddef.h>

#include <cli/common/json.h>
#include <cli/common/text.h>

void json_begin(struct json *json, FILE *out)
{
	*json = (struct json){ .out = out };
	json_object(json, NULL);
}

void json_end(struct json *json)
{
	json_object_end(json);
	fputc('\n', json->out);
	json->more = false;
}

static void json_escape(FILE *out, unsigned char c)
{
	if (c == '"' || c == '\\')
		fprintf(out, "\\%c", c);
	else if (c == '\n')
		fputs("\\n", out);
	else if (c == '\t')
		fputs("\\t", out);
	else if (c < ' ' || c >= 127)
		fprintf(out, "\\u%04x", c);
	else
		fputc(c, out);
}

static void json_quoted(FILE *out, const char *text)
{
	size_t length;

	fputc('"', out);
	while (*text) {
		length = text_utf8_length(text);
		if (length > 1)
			fwrite(text, 1, length, out);
		else
			json_escape(out, (unsigned char)*text);
		text += length ? length : 1;
	}
	fputc('"', out);
}

static void json_key(struct json *json, const char *key)
{
	if (json->more)
		fputs(", ", json->out);
	if (key) {
		json_quoted(json->out, key);
		fputs(": ", json->out);
	}
	json->more = true;
}

static void json_open(struct json *json, const char *key, char bracket)
{
	json_key(json, key);
	fputc(bracket, json->out);
	json->more = false;
}

static void json_close(struct json *json, char bracket)
{
	fputc(bracket, json->out);
	json->more = true;
}

void json_object(struct json *json, const char *key)
{
	json_open(json, key, '{');
}

void json_object_end(struct json *json)
{
	json_close(json, '}');
}

void json_array(struct json *json, const char *key)
{
	json_open(json, key, '[');
}

void json_array_end(struct json *json)
{
	json_close(json, ']');
}

void json_number(struct json *json, const char *key, uint64_t value)
{
	json_key(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_number_or_null(struct json *json, const char *key, uint64_t value)
{
	if (value)
		json_number(json, key, value);
	else
		json_text(json, key, NULL);
}

void json_real(struct json *json, const char *key, double value)
{
	json_key(json, key);
	fprintf(json->out, "%.3f", value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_text(struct json *json, const char *key, const char *value)
{
	json_key(json, key);
	if (value)
		json_quoted(json->out, value);
	else
		fputs("null", json->out);
}
