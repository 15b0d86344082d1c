/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the word that a user probably meant. */
#ifndef CLI_NEAR_H
#define CLI_NEAR_H

#include <stddef.h>

#define NEAR_LENGTH 31 /* longer words are not compared */

/* The best candidate so far. Starts as { .word = what the user wrote }. */
struct near {
	const char *word;
	const char *found; /* NULL: no candidate is near enough */
	size_t distance;
};

/* Keeps the candidate if it is nearer than the one before. At most every third letter may differ. */
void near_try(struct near *near, const char *candidate);

#endif
