// SPDX-License-Identifier: GPL-2.0
/*
 * Starts systems and kills their host processes at random moments.
 *
 *   killer COUNT SEED IMAGE...
 *
 * Prints how often the system was empty, loaded, running, stopping, dead at the signal.
 */
#include "../../lib/device.h"

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Maximum time of a kill, as a multiple of the time of a start. Every second kill hits a running system. */
#define LATEST 10
#define START_WITHIN 30
#define EMPTY_WITHIN 10

static long latest_us;

static pid_t start(const char *image)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	freopen("/dev/null", "w", stdout);
	freopen("/dev/null", "w", stderr);
	execlp("limpet", "limpet", "run", "--foreground", image, NULL);
	_exit(127);
}

/*
 * Sends the signal to the process, or directly to its youngest thread, which is a host thread if the process has one.
 */
static void strike(pid_t pid, int thread)
{
	char path[64];
	pid_t tid = pid;
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	folder = thread ? opendir(path) : NULL;
	while (folder && (entry = readdir(folder)))
		if (atoi(entry->d_name) > tid)
			tid = atoi(entry->d_name);
	if (folder)
		closedir(folder);
	if (thread)
		syscall(SYS_tgkill, pid, tid, SIGKILL);
	else
		kill(pid, SIGKILL);
}

/* Returns a random time of a kill. The exponent is random, too, so that early and late times are equally likely. */
static long moment(uint64_t *seed)
{
	return (long)(random_next(seed) % (latest_us >> random_next(seed) % 5));
}

static void await_running(int fd, const char *image)
{
	double begin = seconds();

	while (device_info(fd).state != LIMPET_STATE_RUNNING) {
		if (seconds() - begin > START_WITHIN)
			die("%s does not start", image);
		pause_us(1000);
	}
}

/* Returns the duration of a start on this machine. */
static void measure(int fd, const char *image)
{
	double begin = seconds();
	pid_t pid = start(image);
	int status;

	await_running(fd, image);
	latest_us = (long)((seconds() - begin) * 1e6) * LATEST;
	strike(pid, 0);
	if (waitpid(pid, &status, 0) != pid || !device_empty_within(fd, EMPTY_WITHIN))
		die("the system of %s is still there", image);
}

static void reload(int *fd)
{
	close(*fd);
	if (system("limpet detach >/dev/null && limpet attach >/dev/null"))
		die("detach and attach failed");
	*fd = device_open();
}

int main(int argc, char **argv)
{
	static unsigned long seen[LIMPET_STATE_DEAD + 1];
	unsigned long count = argc > 3 ? strtoul(argv[1], NULL, 0) : 0;
	uint64_t seed = argc > 3 ? strtoul(argv[2], NULL, 0) : 0;
	int fd = device_open();
	int status;

	if (count)
		measure(fd, argv[3]);
	for (unsigned long i = 0; i < count; i++) {
		const char *image = argv[3 + random_next(&seed) % (unsigned)(argc - 3)];
		pid_t pid = start(image);

		if (i % 2) /* a start may take longer than the first one */
			await_running(fd, image);
		pause_us(moment(&seed));
		seen[device_info(fd).state]++;
		strike(pid, random_next(&seed) & 1);
		if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
			die("round %lu: %s ended by itself, status %x", i, image, status);
		if (!device_empty_within(fd, EMPTY_WITHIN))
			die("round %lu: the system of %s is still there", i, image);
		if (i % 10 == 9)
			reload(&fd);
	}
	printf("empty %lu loaded %lu running %lu stopping %lu dead %lu\n", seen[0], seen[1],
	       seen[2], seen[3], seen[4]);
	return 0;
}
