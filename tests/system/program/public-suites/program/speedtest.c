// SPDX-License-Identifier: GPL-2.0
/* Runs SQLite's speedtest1, whose main() has another name, with a small number of rows. */
int speedtest_main(int argc, char **argv);

int main(void)
{
	char *words[] = { "speedtest1", "--size", "1", "--testset", "main", DATABASE, (void *)0 };

	return speedtest_main(6, words);
}
