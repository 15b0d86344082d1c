// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <cli/common/near.h>

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Returns Levenshtein's distance: the number of letters to insert, remove or replace. */
static size_t distance_of(const char *a, const char *b)
{
	size_t row[NEAR_LENGTH + 1], length = strlen(b), diagonal, above;

	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		diagonal = row[0];
		row[0] = i + 1;
		for (size_t j = 0; j < length; j++) {
			above = row[j + 1];
			row[j + 1] = min(diagonal + (a[i] != b[j]), min(above, row[j]) + 1);
			diagonal = above;
		}
	}
	return row[length];
}

void near_try(struct near *near, const char *candidate)
{
	size_t length = strlen(near->word), distance;

	if (length > NEAR_LENGTH || strlen(candidate) > NEAR_LENGTH)
		return;
	distance = distance_of(near->word, candidate);
	if (distance * 3 > length + 2 || (near->found && distance >= near->distance))
		return;
	near->found = candidate;
	near->distance = distance;
}
