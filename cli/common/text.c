// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/text.h>

bool text_read(const char *root, const char *path, char *to, size_t size)
{
	char whole[PATH_MAX];
	size_t length;
	FILE *file;

	*to = 0;
	if (snprintf(whole, sizeof(whole), "%s%s", root, path) >= (int)sizeof(whole))
		return false;
	file = fopen(whole, "re");
	if (!file)
		return false;
	length = fread(to, 1, size - 1, file);
	fclose(file);
	to[length] = 0;
	while (length && (to[length - 1] == '\n' || to[length - 1] == ' '))
		to[--length] = 0;
	return true;
}

bool text_exists(const char *root, const char *path)
{
	char whole[PATH_MAX];

	return snprintf(whole, sizeof(whole), "%s%s", root, path) < (int)sizeof(whole) &&
	       !access(whole, F_OK);
}

bool text_number(const char *text, long low, long high, long *number)
{
	char *end;

	errno = 0;
	*number = strtol(text, &end, 10);
	return !errno && end != text && !*end && *number >= low && *number <= high;
}

bool text_read_number(const char *root, const char *path, long *number)
{
	char text[32];

	return text_read(root, path, text, sizeof(text)) &&
	       text_number(text, LONG_MIN, LONG_MAX, number);
}

bool text_has_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	const char *at = text;

	while ((at = strstr(at, word))) {
		bool begins = at == text || strchr(" \t\n", at[-1]);

		if (begins && strchr(" \t\n", at[length]))
			return true;
		at += length;
	}
	return false;
}

size_t text_utf8_length(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	size_t length = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;

	if (!c[0] || c[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	if (c[0] == 0xe0 && c[1] < 0xa0) /* not the shortest form */
		return 0;
	if (c[0] == 0xed && c[1] > 0x9f) /* surrogates */
		return 0;
	if (c[0] == 0xf0 && c[1] < 0x90)
		return 0;
	return c[0] == 0xf4 && c[1] > 0x8f ? 0 : length;
}

/*
 * Returns whether this is a control character U+0080 to U+009F, which some terminals also obey in
 * UTF-8.
 */
static bool is_control_utf8(const unsigned char *c)
{
	return c[0] == 0xc2 && c[1] < 0xa0;
}

/* Returns the length of the character at `text` if it can be printed unchanged, or 0. */
static size_t shown_length(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	size_t length = text_utf8_length(text);

	if (*c == '\t' || *c == '\n')
		return 1;
	return *c < ' ' || *c == 127 || is_control_utf8(c) ? 0 : length;
}

void text_print_safely(FILE *out, const char *text, size_t size)
{
	size_t length;

	for (size_t i = 0; i < size; i += length ? length : 1) {
		length = shown_length(text + i);
		if (length)
			fwrite(text + i, 1, length, out);
		else
			fprintf(out, "\\x%02x", (unsigned char)text[i]);
	}
}
