/* SPDX-License-Identifier: GPL-2.0 */
/* Reads small files, and parses and prints text. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Reads the start of a file below a root ("" for the real one) as one zero-terminated text of at
 * most size - 1 bytes, without spaces and line breaks at its end. Returns false and sets `to` to ""
 * if the file cannot be read.
 */
bool text_read(const char *root, const char *path, char *to, size_t size);
/* Returns whether a file or folder exists below a root. */
bool text_exists(const char *root, const char *path);
/* Reads a file that contains one whole number. */
bool text_read_number(const char *root, const char *path, long *number);
/* Returns true if `text` contains `word` between spaces, tabs or line breaks. */
bool text_has_word(const char *text, const char *word);
/*
 * Parses a whole decimal number from `low` to `high`. Returns false for other text, also after the
 * number.
 */
bool text_number(const char *text, long low, long high, long *number);
/*
 * Returns the length of the UTF-8 character at `text`: 1 to 4. Returns 0 for invalid UTF-8, or at
 * the end of `text`.
 */
size_t text_utf8_length(const char *text);
/* Prints any bytes. Control characters and invalid UTF-8 appear as \xNN. text[size] must be 0. */
void text_print_safely(FILE *out, const char *text, size_t size);

#endif
