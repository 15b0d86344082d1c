// SPDX-License-Identifier: GPL-2.0
/*
 * Switches between 20 spaces until it is killed. Arguments: the file that it creates when it has
 * started, and `inner` to let each space create the next one.
 */
#include "use.h"

static bool nested;
static long depth;

static void around(long argument, long from, long value)
{
	long next = 0;

	(void)from;
	if (nested && depth++ < 20)
		next = spaces_create(around, TOP - (depth << 10), argument + 1);
	for (;;)
		spaces_switch(next ? next : argument % 20, &value);
}

int main(int argc, char **argv)
{
	long value = 0;
	int made;

	nested = argc > 2;
	for (long i = 1; i < (nested ? 2 : 20); i++)
		if (spaces_create(around, TOP, i) < 0)
			return 1;
	made = open(argv[1], O_CREAT | O_WRONLY, 0600);
	if (made < 0 || close(made))
		return 1;
	for (long i = 1;; i = i % 19 + 1)
		spaces_switch(nested ? 1 : i, &value);
}
