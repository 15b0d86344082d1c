/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads files of rules. A line has words that are separated by spaces and tabs. A word that begins with # starts a comment.
 * The files are in the system's ramdisk, so a component that calls rules_load() needs the privilege `ramdisk`.
 */
#ifndef EXECUTIVE_RULES_H
#define EXECUTIVE_RULES_H

#include <runtime/types.h>

struct limpet_info;

/* The unread part of a line, and one word. Neither is terminated by 0. */
struct words {
	const char *at, *end;
};
struct span {
	const char *at;
	size_t length;
};

/* Takes the next word of a line. Returns false at its end. */
bool word_next(struct words *words, struct span *word);
bool word_is(const struct span *word, const char *text);
/* Reads a decimal number of 0 to `max`. Returns false if it is none. */
bool word_number(const struct span *word, uint32_t max, uint32_t *value);

/* Handles one line. Returns NULL, or the error as the end of a sentence that begins with "the line". */
typedef const char *rules_line(const struct span *first, struct words *rest);

/*
 * Reads each line that has words; the text must stay if `read` keeps spans of it. Returns 0, or the number of the first
 * line that is wrong, and then *why says what is.
 */
unsigned int rules_read(const char *text, size_t size, rules_line *read, const char **why);

/* Reads a file of the ramdisk. Returns false, and prints why, if there is none or it is wrong. */
bool rules_load(const struct limpet_info *info, const char *name, rules_line *read);

#endif
