// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <string.h>

#include <cli/common/text.h>

#include "json_check.h"

static bool parse_value(const char **at);

static void skip_space(const char **at)
{
	*at += strspn(*at, " \t\r\n");
}

static bool take(const char **at, char c)
{
	skip_space(at);
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

static bool parse_escape(const char **at)
{
	if (strchr("\"\\/bfnrt", **at) && **at) {
		(*at)++;
		return true;
	}
	if (*(*at)++ != 'u')
		return false;
	for (int i = 0; i < 4; i++)
		if (!isxdigit((unsigned char)*(*at)++))
			return false;
	return true;
}

static bool parse_text(const char **at)
{
	if (!take(at, '"'))
		return false;
	while (**at != '"') {
		size_t length = text_utf8_length(*at);

		if (!length || (unsigned char)**at < ' ')
			return false;
		*at += length;
		if ((*at)[-1] == '\\' && !parse_escape(at))
			return false;
	}
	(*at)++;
	return true;
}

static bool parse_digits(const char **at)
{
	size_t count = strspn(*at, "0123456789");

	*at += count;
	return count;
}

static bool parse_number(const char **at)
{
	*at += **at == '-';
	if (**at == '0')
		(*at)++;
	else if (!parse_digits(at))
		return false;
	if (**at == '.') {
		(*at)++;
		return parse_digits(at);
	}
	return true;
}

/* Parses members of an object (`keys`) or an array, up to the closing bracket. */
static bool parse_members(const char **at, char end, bool keys)
{
	if (take(at, end))
		return true;
	do {
		if (keys && (!parse_text(at) || !take(at, ':')))
			return false;
		if (!parse_value(at))
			return false;
	} while (take(at, ','));
	return take(at, end);
}

static bool parse_word(const char **at, const char *word)
{
	size_t length = strlen(word);
	bool is = !strncmp(*at, word, length);

	*at += is ? length : 0;
	return is;
}

static bool parse_value(const char **at)
{
	skip_space(at);
	if (take(at, '{'))
		return parse_members(at, '}', true);
	if (take(at, '['))
		return parse_members(at, ']', false);
	if (**at == '"')
		return parse_text(at);
	return parse_word(at, "true") || parse_word(at, "false") || parse_word(at, "null") ||
	       parse_number(at);
}

bool json_is_valid(const char *text)
{
	if (!parse_value(&text))
		return false;
	skip_space(&text);
	return !*text;
}
