// SPDX-License-Identifier: GPL-2.0
#include <cli/command/hist/hist.h>

#define FINEST 4 /* rows for each doubling */

uint64_t hist_row_floor(unsigned int steps, unsigned int row)
{
	/* 2^(n/4), in parts of 2^32 */
	static const uint64_t roots[FINEST] = { 4294967296u, 5107605667u, 6074001000u,
						7223245226u };
	unsigned int fine = row * (FINEST / steps), doublings = fine / FINEST;

	if (doublings > 63)
		return UINT64_MAX;
	return (uint64_t)((((unsigned __int128)roots[fine % FINEST] << doublings) + 0xffffffff) >>
			  32);
}

static unsigned int row_of(unsigned int steps, uint64_t value)
{
	unsigned int row = 0;

	while (row + 1 < 64 * steps && hist_row_floor(steps, row + 1) <= value)
		row++;
	return row;
}

struct hist_rows hist_rows(const struct hist *hist, unsigned int max)
{
	/* A closed series has two buckets for each doubling, and its last bucket is empty. */
	struct hist_rows rows = { .steps = hist->closed ? FINEST : FINEST * 2 };
	const unsigned int last = hist->buckets - (hist->closed && hist->buckets > 1 ? 2 : 1);

	do {
		rows.steps /= 2;
		rows.first = row_of(rows.steps, hist->bucket[0].floor);
		rows.count = row_of(rows.steps, hist->bucket[last].floor) - rows.first + 1;
	} while (rows.count > max && rows.steps > 1);
	return rows;
}

uint64_t hist_row_count(const struct hist *hist, unsigned int steps, unsigned int row)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < hist->buckets; i++)
		if (row_of(steps, hist->bucket[i].floor) == row)
			sum += hist->bucket[i].count;
	return sum;
}
