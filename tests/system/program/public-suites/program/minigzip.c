// SPDX-License-Identifier: GPL-2.0
/* Compresses and decompresses a file with zlib's minigzip, whose main() has another name, and compares. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SIZE 100000

int minigzip_main(int argc, char **argv);

static char before[SIZE], after[SIZE + 1];

/* Returns the size of a file, and reads its first bytes. */
static size_t file_read(const char *name, char *to, size_t size)
{
	FILE *file = fopen(name, "rb");
	size_t done = file ? fread(to, 1, size, file) : 0;

	if (file)
		fclose(file);
	return done;
}

int main(void)
{
	char *compress[] = { "minigzip", "-9", "sample", NULL };
	char *decompress[] = { "minigzip", "-d", "sample.gz", NULL };
	unsigned int random = 1;
	FILE *file = fopen("sample", "wb");

	for (int i = 0; i < SIZE; i++) {
		random = random * 1103515245 + 12345;
		before[i] = (char)(random >> 28);
	}
	if (!file || fwrite(before, 1, SIZE, file) != SIZE || fclose(file))
		return 90;
	if (minigzip_main(3, compress) || !access("sample", F_OK))
		return 91;
	if (file_read("sample.gz", after, SIZE) > SIZE * 3 / 4)
		return 92;
	if (minigzip_main(3, decompress) || !access("sample.gz", F_OK))
		return 93;
	if (file_read("sample", after, SIZE + 1) != SIZE || memcmp(before, after, SIZE))
		return 94;
	return unlink("sample");
}
