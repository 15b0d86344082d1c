// SPDX-License-Identifier: BSD-2-Clause
#include "fields.h"
#include "request.h"
#include "target.h"

#define EMPTY_LINES_MAX 4

struct first_line {
	struct span method, target;
	bool old; /* HTTP/1.0 */
};

/*
 * Reads the next line, without its end, and removes it from `rest`. Returns false if the line is
 * not complete.
 */
static bool line_next(struct span *rest, struct span *line)
{
	const char *begin = rest->at;
	size_t length = 0;

	while (length < rest->length && begin[length] != '\n')
		length++;
	if (length == rest->length)
		return false;
	rest->at += length + 1;
	rest->length -= length + 1;
	*line = (struct span){ begin, length && begin[length - 1] == '\r' ? length - 1 : length };
	return true;
}

static unsigned int version(struct span text, bool *old)
{
	static const char name[] = "HTTP/1.1";

	if (text.length != sizeof(name) - 1)
		return 400;
	for (size_t i = 0; i < text.length; i++)
		if (i == 5 || i == 7 ? !is_digit(text.at[i]) : text.at[i] != name[i])
			return 400;
	*old = text.at[7] == '0';
	return text.at[5] == '1' ? 0 : 505;
}

/* Splits the first line into its three parts, with one blank between them. */
static unsigned int first_line(struct span line, struct first_line *first)
{
	first->method = span_cut(&line, ' ');
	first->target = span_cut(&line, ' ');
	if (!first->method.length || !first->target.length)
		return 400;
	for (size_t i = 0; i < first->method.length; i++)
		if (!is_token(first->method.at[i]))
			return 400;
	return version(line, &first->old);
}

static bool method_is(const struct first_line *first, const char *name)
{
	size_t i = 0;

	while (i < first->method.length && name[i] && first->method.at[i] == name[i])
		i++;
	return i == first->method.length && !name[i];
}

static unsigned int method(const struct first_line *first, struct request *request)
{
	static const char *const others[] = { "POST",	 "PUT",	  "DELETE", "OPTIONS",
					      "CONNECT", "TRACE", "PATCH" };

	request->head = method_is(first, "HEAD");
	if (request->head || method_is(first, "GET"))
		return REQUEST_GOOD;
	for (unsigned int i = 0; i < array_size(others); i++)
		if (method_is(first, others[i]))
			return 405;
	return 501;
}

/*
 * Finds the end of the request. Returns 0, or the code of an error after which the end is unknown.
 */
static unsigned int framing(const struct fields *fields, const struct first_line *first,
			    struct request *request)
{
	if (fields->hosts > 1 || fields->host_wrong || (!fields->hosts && !first->old))
		return 400;
	if (fields->coded && (fields->lengths || first->old))
		return 400;
	if (fields->coded)
		return fields->chunked ? 411 : 501;
	if (fields->length > HTTP_BODY_MAX)
		return 413;
	if (fields->expects_odd)
		return 417;
	request->skip = fields->length;
	return 0;
}

static unsigned int judge(const struct fields *fields, const struct first_line *first,
			  struct request *request)
{
	unsigned int code = framing(fields, first, request);

	if (code)
		return code;
	/* A client that waits for 100 may or may not send the body after a final answer. */
	request->close = fields->close || (first->old && !fields->keep) ||
			 (fields->expects && request->skip);
	if (request->close)
		request->skip = 0;
	code = method(first, request);
	return code == REQUEST_GOOD ? target_path(first->target, request) : code;
}

/* Reads the lines between the first line and the empty line. */
static unsigned int fields_take(struct span *rest, struct fields *fields)
{
	struct span line;

	while (line_next(rest, &line)) {
		unsigned int code;

		if (!line.length)
			return REQUEST_GOOD;
		code = fields_add(fields, line);
		if (code)
			return code;
	}
	return REQUEST_INCOMPLETE;
}

unsigned int request_parse(const char *text, size_t size, struct request *request)
{
	struct span rest = { text, size }, line;
	struct fields fields = { 0 };
	struct first_line first;
	unsigned int code, empty = 0;

	request->close = true;
	request->head = false;
	request->skip = 0;
	request->used = size;
	do {
		if (!line_next(&rest, &line))
			return size < HTTP_REQUEST_MAX ? REQUEST_INCOMPLETE : 414;
	} while (!line.length && empty++ < EMPTY_LINES_MAX);
	code = first_line(line, &first);
	if (code)
		return code;
	code = fields_take(&rest, &fields);
	if (code == REQUEST_INCOMPLETE && size >= HTTP_REQUEST_MAX)
		return 431;
	if (code != REQUEST_GOOD)
		return code;
	request->used = size - rest.length;
	return judge(&fields, &first, request);
}
