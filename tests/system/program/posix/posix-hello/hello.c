// SPDX-License-Identifier: GPL-2.0
/* What a small C program does first. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static __thread int counted = 41;
static __thread char zeros[100] __attribute__((aligned(64)));

static void wrong(const char *what)
{
	printf("wrong: %s: %s\n", what, strerror(errno));
}

static void memory(void)
{
	char *parts[200];

	for (int i = 0; i < 200; i++) {
		size_t size = (size_t)i * 97 + 1;

		parts[i] = malloc(size);
		if (!parts[i]) {
			wrong("malloc");
			return;
		}
		memset(parts[i], i, size);
	}
	for (int i = 0; i < 200; i++) {
		size_t size = (size_t)i * 97 + 1;

		for (size_t n = 0; n < size; n++)
			if (parts[i][n] != (char)i)
				printf("wrong: part %d\n", i);
		parts[i] = realloc(parts[i], size * 2);
		free(parts[i]);
	}
	printf("malloc done\n");
}

static void files(void)
{
	char text[64] = "";
	struct stat stat_of;
	struct dirent *entry;
	FILE *file = fopen("/greeting.txt", "r");
	DIR *folder;
	int entries = 0;

	if (!file || !fgets(text, sizeof(text), file))
		wrong("ramdisk");
	printf("ramdisk says %s", text);
	if (file)
		fclose(file);
	if (fopen("/greeting.txt", "w") || errno != EROFS)
		wrong("the ramdisk can be written");
	file = fopen("/tmp/numbers", "w+");
	if (!file)
		wrong("open in /tmp");
	for (int i = 0; file && i < 10000; i++)
		fprintf(file, "%d\n", i);
	if (!file || fseek(file, -5, SEEK_END) || !fgets(text, sizeof(text), file) ||
	    strcmp(text, "9999\n"))
		wrong("file in /tmp");
	fclose(file);
	if (stat("/tmp/numbers", &stat_of) || stat_of.st_size != 48890)
		wrong("stat");
	mkdir("/tmp/folder", 0755);
	if (rename("/tmp/numbers", "/tmp/folder/numbers") || !access("/tmp/numbers", F_OK))
		wrong("rename");
	folder = opendir("/tmp/folder");
	while (folder && (entry = readdir(folder)))
		entries += entry->d_type == DT_REG ? 10 : 1;
	if (folder)
		closedir(folder);
	if (entries != 12 || rmdir("/tmp/folder") != -1 || errno != ENOTEMPTY ||
	    unlink("/tmp/folder/numbers") || rmdir("/tmp/folder"))
		wrong("folder");
	printf("files done\n");
}

int main(int argc, char **argv)
{
	struct timespec before, after, nap = { 0, 20000000 };

	printf("hello, %d arguments:", argc - 1);
	for (int i = 1; i < argc; i++)
		printf(" [%s]", argv[i]);
	printf("\n");
	if (++counted != 42 || (size_t)zeros % 64 || zeros[99])
		wrong("thread-local variables");
	memory();
	files();
	clock_gettime(CLOCK_MONOTONIC, &before);
	nanosleep(&nap, NULL);
	clock_gettime(CLOCK_MONOTONIC, &after);
	if ((after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec < 20000000)
		wrong("nanosleep");
	printf("sqrt(2) = %.15f, %s\n", sqrt(2.0 * argc / argc),
	       getenv("HOME") ? "wrong: HOME" : "no HOME");
	if (syscall(444, 0) != -1 || errno != ENOSYS || syscall(444, 0) != -1)
		wrong("a call that is not served");
	return 7;
}
