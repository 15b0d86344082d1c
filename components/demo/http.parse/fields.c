// SPDX-License-Identifier: BSD-2-Clause
#include "fields.h"
#include "parsed.h"

#define LENGTH_DIGITS 18

static unsigned int host(struct fields *fields, struct span value)
{
	fields->hosts++;
	for (size_t i = 0; i < value.length; i++)
		if (!is_visible(value.at[i]) || value.at[i] == '/' || value.at[i] == ',')
			fields->host_wrong = true;
	return 0;
}

/* The same length may be given several times: RFC 9112, 6.3. */
static unsigned int content_length(struct fields *fields, struct span value)
{
	while (value.length) {
		struct span digits = span_trim(span_cut(&value, ','));
		uint64_t length = 0;

		if (!digits.length || digits.length > LENGTH_DIGITS)
			return digits.length ? 413 : 400;
		for (size_t i = 0; i < digits.length; i++) {
			if (!is_digit(digits.at[i]))
				return 400;
			length = length * 10 + (uint64_t)(digits.at[i] - '0');
		}
		if (fields->lengths && fields->length != length)
			return 400;
		fields->lengths = true;
		fields->length = length;
	}
	return fields->lengths ? 0 : 400;
}

static unsigned int transfer_encoding(struct fields *fields, struct span value)
{
	fields->chunked = !fields->coded && span_is(value, "chunked");
	fields->coded = true;
	return 0;
}

static unsigned int connection(struct fields *fields, struct span value)
{
	while (value.length) {
		struct span word = span_trim(span_cut(&value, ','));

		fields->close |= span_is(word, "close");
		fields->keep |= span_is(word, "keep-alive");
	}
	return 0;
}

static unsigned int expect(struct fields *fields, struct span value)
{
	if (span_is(value, "100-continue"))
		fields->expects = true;
	else
		fields->expects_odd = true;
	return 0;
}

static const struct {
	const char *name;
	unsigned int (*take)(struct fields *fields, struct span value);
} known[] = {
	{ "host", host },
	{ "content-length", content_length },
	{ "transfer-encoding", transfer_encoding },
	{ "connection", connection },
	{ "expect", expect },
};

static bool value_valid(struct span value)
{
	for (size_t i = 0; i < value.length; i++)
		if (!is_visible(value.at[i]) && !is_blank(value.at[i]))
			return false;
	return true;
}

/*
 * Refuses a blank before the name, which would continue the last line, and a blank before the
 * colon.
 */
static bool name_valid(struct span name)
{
	for (size_t i = 0; i < name.length; i++)
		if (!is_token(name.at[i]))
			return false;
	return name.length;
}

unsigned int fields_add(struct fields *fields, struct span line)
{
	size_t length = line.length;
	struct span name = span_cut(&line, ':');

	if (++fields->count > REQUEST_FIELDS_MAX)
		return 431;
	if (!name_valid(name) || name.length == length || !value_valid(line))
		return 400;
	for (unsigned int i = 0; i < array_size(known); i++)
		if (span_is(name, known[i].name))
			return known[i].take(fields, span_trim(line));
	return 0;
}
