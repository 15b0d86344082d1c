// SPDX-License-Identifier: GPL-2.0
/*
 * Runs cases of a test suite, first on Linux, then as a component. The standard input has a line for each case: name,
 * program, number. The standard output gets a line for each case: name, outcome on Linux, outcome on Limpet. An outcome
 * is an exit status, "signal N", "crash", or "hang" after LIMIT seconds.
 *
 *   suite FOLDER LIMIT
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shared/image/crc.h"

#define WORD "case-0000" /* the argument in an image, which becomes the number of the case */
#define LOG "/run/limpet/log"
#define OUTCOME 32
#define PAUSE_NS 5000000

static int limit;

static void stop_with(const char *what)
{
	fprintf(stderr, "suite: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* Starts a program without input, whose output is dropped, in a process group of its own. */
static pid_t start(char *const words[])
{
	pid_t child = fork();

	if (child < 0)
		stop_with("fork");
	if (child)
		return child;
	setpgid(0, 0);
	int null = open("/dev/null", O_RDWR);
	for (int descriptor = 0; descriptor < 3; descriptor++)
		dup2(null, descriptor);
	execvp(words[0], words);
	_exit(127);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_BOOTTIME, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void pause_briefly(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
}

/* Waits for a program until a time. Returns whether it ended. */
static bool finish(pid_t child, double end, int *status)
{
	while (waitpid(child, status, WNOHANG) != child) {
		if (now() >= end)
			return false;
		pause_briefly();
	}
	return true;
}

static void on_linux(const char *folder, const char *program, const char *number, char *outcome)
{
	char file[PATH_MAX], word[sizeof(WORD)];
	int status;
	pid_t child;

	snprintf(file, sizeof(file), "%s/%s.linux", folder, program);
	snprintf(word, sizeof(word), "case-%.4s", number);
	child = start((char *[]){ file, word, NULL });
	if (!finish(child, now() + limit, &status))
		strcpy(outcome, "hang");
	else if (WIFSIGNALED(status))
		snprintf(outcome, OUTCOME, "signal %d", WTERMSIG(status));
	else
		snprintf(outcome, OUTCOME, "%d", WEXITSTATUS(status));
	kill(-child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* Writes the image with the number of a case in its argument to `to`. */
static void image_choose(const char *from, const char *to, const char *number)
{
	static uint8_t image[16 << 20];
	FILE *file = fopen(from, "rb");
	size_t size = file ? fread(image, 1, sizeof(image), file) : 0;
	char *at = memmem(image, size, WORD, sizeof(WORD));

	if (!at || size == sizeof(image))
		stop_with(from);
	fclose(file);
	memcpy(at + sizeof(WORD) - 5, number, 4);
	((struct limpet_image *)image)->crc = limpet_image_crc(image, size);
	file = fopen(to, "wb");
	if (!file || fwrite(image, 1, size, file) != size || fclose(file))
		stop_with(to);
}

static void limpet(char *command, char *argument)
{
	pid_t child = start((char *[]){ "limpet", command, argument, NULL });
	int status;

	if (!finish(child, now() + 60, &status) || status) {
		fprintf(stderr, "suite: limpet %s %s: status %#x\n", command,
			argument ? argument : "", status);
		exit(2);
	}
}

/* Returns whether and how the program ended, according to the log. */
static bool log_says(char *outcome)
{
	static char text[1 << 20];
	FILE *file = fopen(LOG, "r");
	size_t size = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	const char *at;

	if (file)
		fclose(file);
	text[size] = 0;
	if ((at = strstr(text, "case: exit status ")))
		snprintf(outcome, OUTCOME, "%d", atoi(at + strlen("case: exit status ")));
	else if ((at = strstr(text, "case: ended by signal ")))
		snprintf(outcome, OUTCOME, "signal %d",
			 atoi(at + strlen("case: ended by signal ")));
	else if (strstr(text, ": the thread is dead"))
		strcpy(outcome, "crash"); /* a fault in the library is no signal */
	else
		return false;
	return true;
}

static void on_limpet(const char *folder, const char *program, const char *number, char *outcome)
{
	char from[PATH_MAX], to[] = "/tmp/case.limpet";
	double end;

	snprintf(from, sizeof(from), "%s/%s.limpet", folder, program);
	image_choose(from, to, number);
	unlink(LOG);
	limpet("run", to);
	strcpy(outcome, "hang");
	for (end = now() + limit; now() < end && !log_says(outcome);)
		pause_briefly();
	limpet("stop", NULL);
}

int main(int argc, char **argv)
{
	char name[128], program[64], number[16], host[OUTCOME], here[OUTCOME];

	if (argc != 3 || (limit = atoi(argv[2])) < 1) {
		fprintf(stderr, "usage: suite FOLDER LIMIT <CASES\n");
		return 2;
	}
	while (scanf("%127s %63s %15s", name, program, number) == 3) {
		on_linux(argv[1], program, number, host);
		on_limpet(argv[1], program, number, here);
		printf("%s\t%s\t%s\n", name, host, here);
		fflush(stdout);
	}
	return 0;
}
