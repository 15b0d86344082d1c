// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the same as `make test` of bzip2's Makefile: compresses three files, decompresses three, and
 * compares the results with the expected ones. bzip2's main() has another name here.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#undef main
int bzip2_main(int argc, char **argv);

static const struct {
	const char *option, *from, *to, *same_as;
} steps[] = {
	{ "-1", "/sample1.ref", "/tmp/sample1.rb2", "/sample1.bz2" },
	{ "-2", "/sample2.ref", "/tmp/sample2.rb2", "/sample2.bz2" },
	{ "-3", "/sample3.ref", "/tmp/sample3.rb2", "/sample3.bz2" },
	{ "-d", "/sample1.bz2", "/tmp/sample1.tst", "/sample1.ref" },
	{ "-d", "/sample2.bz2", "/tmp/sample2.tst", "/sample2.ref" },
	{ "-ds", "/sample3.bz2", "/tmp/sample3.tst", "/sample3.ref" },
};

/* bzip2 OPTION <FROM >TO */
static int run(const char *option, const char *from, const char *to)
{
	char name[] = "bzip2", word[8];
	char *words[] = { name, word, NULL };
	int console = dup(1), status;

	snprintf(word, sizeof(word), "%s", option);
	if (!freopen(from, "r", stdin) || !freopen(to, "w", stdout))
		return -1;
	status = bzip2_main(2, words);
	fflush(stdout);
	dup2(console, 1);
	close(console);
	return status;
}

static int same(const char *first, const char *second)
{
	FILE *a = fopen(first, "r"), *b = fopen(second, "r");
	int x = 0, y = 1;

	while (a && b && (x = getc(a)) == (y = getc(b)) && x != EOF)
		;
	if (a)
		fclose(a);
	if (b)
		fclose(b);
	return a && b && x == y;
}

int main(void)
{
	int good = 0;

	for (unsigned int i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int status = run(steps[i].option, steps[i].from, steps[i].to);

		if (status == 0 && same(steps[i].to, steps[i].same_as))
			good++;
		else
			dprintf(2, "wrong: bzip2 %s of %s: status %d\n", steps[i].option,
				steps[i].from, status);
		unlink(steps[i].to);
	}
	dprintf(2, "bzip2: %d of 6 right\n", good);
	return good != 6;
}
