// SPDX-License-Identifier: BSD-2-Clause
#include "target.h"

static int hexadecimal(char c)
{
	if (is_digit(c))
		return c - '0';
	c = lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns the next character, decoded, or a negative value if it is invalid. */
static int character(struct span *part)
{
	int high, low, c = (unsigned char)part->at[0];

	part->at++, part->length--;
	if (c != '%')
		return is_visible((char)c) && c != '#' ? c : -1;
	if (part->length < 2)
		return -1;
	high = hexadecimal(part->at[0]);
	low = hexadecimal(part->at[1]);
	part->at += 2, part->length -= 2;
	if (high < 0 || low < 0)
		return -1;
	c = high << 4 | low;
	return c < ' ' || c == 0x7f || c == '/' ? -1 : c;
}

/* Removes the last name, and the / before it. */
static bool up(struct request *request)
{
	if (!request->length)
		return false;
	request->length--; /* the / at the end */
	while (request->length && request->path[request->length - 1] != '/')
		request->length--;
	return true;
}

/*
 * Appends a byte. Only this function writes the path. Returns false if it is too long. Keeps space
 * for a 0.
 */
static bool byte_add(struct request *request, int byte)
{
	if (request->length >= HTTP_PATH_SIZE - 2)
		return false;
	request->path[request->length++] = (char)byte;
	return true;
}

/* Adds one name to a path that is empty or ends with a /. */
static unsigned int name_add(struct span name, struct request *request)
{
	size_t begin = request->length, length;

	while (name.length) {
		int c = character(&name);

		if (c < 0)
			return 400;
		if (!byte_add(request, c))
			return 414;
	}
	length = request->length - begin;
	if (length == 1 && request->path[begin] == '.')
		request->length = begin;
	if (length == 2 && request->path[begin] == '.' && request->path[begin + 1] == '.') {
		request->length = begin;
		return up(request) ? REQUEST_GOOD : 400;
	}
	return REQUEST_GOOD;
}

static unsigned int path(struct span rest, struct request *request)
{
	request->length = 0;
	while (rest.length) {
		size_t before = rest.length;
		struct span name = span_cut(&rest, '/');
		bool last = name.length == before;
		size_t begin = request->length;
		unsigned int code = name_add(name, request);

		if (code != REQUEST_GOOD)
			return code;
		if (!last && request->length > begin && !byte_add(request, '/'))
			return 414;
	}
	request->path[request->length] = 0;
	return REQUEST_GOOD;
}

/* Removes "http://host" from the start. Returns false if it is not there. */
static bool absolute(struct span *target)
{
	static const char scheme[] = "http://";
	const size_t length = sizeof(scheme) - 1;
	size_t host = length;

	if (target->length <= length || !span_is((struct span){ target->at, length }, scheme))
		return false;
	while (host < target->length && is_visible(target->at[host]) && target->at[host] != '/' &&
	       target->at[host] != '?')
		host++;
	if (host == length)
		return false;
	target->at += host;
	target->length -= host;
	return true;
}

unsigned int target_path(struct span target, struct request *request)
{
	struct span before_query;

	if (absolute(&target)) {
		if (!target.length || target.at[0] == '?')
			return path((struct span){ NULL, 0 }, request);
	}
	if (!target.length || target.at[0] != '/')
		return 400;
	for (size_t i = 0; i < target.length; i++)
		if (!is_visible(target.at[i]))
			return 400;
	before_query = span_cut(&target, '?');
	if (!before_query.length) /* another thread has changed the text meanwhile */
		return 400;
	before_query.at++, before_query.length--;
	return path(before_query, request);
}
