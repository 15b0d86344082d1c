/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of a text, and the character classes of HTTP. */
#ifndef SPAN_H
#define SPAN_H

#include <runtime/types.h>

struct span {
	const char *at;
	size_t length;
};

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Returns whether a character can be in the name of a method or field. */
static inline bool is_token(char c)
{
	if (is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z'))
		return true;
	for (const char *odd = "!#$%&'*+-.^_`|~"; *odd; odd++)
		if (c == *odd)
			return true;
	return false;
}

/* Returns whether the character is neither a control character nor a blank. */
static inline bool is_visible(char c)
{
	return (unsigned char)c > ' ' && c != 0x7f;
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Returns the span without blanks at its ends. */
static inline struct span span_trim(struct span span)
{
	while (span.length && is_blank(span.at[0]))
		span.at++, span.length--;
	while (span.length && is_blank(span.at[span.length - 1]))
		span.length--;
	return span;
}

/*
 * Returns the text before the first `end`, and removes both from `span`. Returns all of the text if
 * there is no `end`.
 */
static inline struct span span_cut(struct span *span, char end)
{
	struct span part = { span->at, 0 };

	while (part.length < span->length && span->at[part.length] != end)
		part.length++;
	span->at += part.length;
	span->length -= part.length;
	if (span->length)
		span->at++, span->length--;
	return part;
}

/* Returns whether the span is the lower-case word, ignoring case. */
static inline bool span_is(struct span span, const char *word)
{
	for (size_t i = 0; i < span.length; i++)
		if (!word[i] || lower(span.at[i]) != word[i])
			return false;
	return !word[span.length];
}

#endif
