/* SPDX-License-Identifier: GPL-2.0 */
/* Keeps what is printed to stderr between two calls. */
#ifndef TEST_SAID_H
#define TEST_SAID_H

#include "test.h"

#include <unistd.h>

struct said {
	FILE *file;
	int kept; /* the descriptor of the real stderr */
	char text[1024];
};

static inline void said_begin(struct said *said)
{
	said->file = tmpfile();
	assert_non_null(said->file);
	said->kept = dup(STDERR_FILENO);
	fflush(stderr);
	dup2(fileno(said->file), STDERR_FILENO);
}

/* Returns the text, which is valid as long as `said`. */
static inline const char *said_end(struct said *said)
{
	fflush(stderr);
	dup2(said->kept, STDERR_FILENO);
	close(said->kept);
	rewind(said->file);
	said->text[fread(said->text, 1, sizeof(said->text) - 1, said->file)] = 0;
	fclose(said->file);
	return said->text;
}

#endif
