// SPDX-License-Identifier: GPL-2.0
/*
 * A guest of exec.probe in mode serve that checks the results of its calls while its system is killed. Arguments: what
 * it does, and a file that it creates when it has the first results.
 *
 *   calls   makes calls. Each result must be the executive's until one is Linux's. From then on each must be Linux's.
 *           Returns CHILD_GOOD after 1000 results of Linux
 *   waits   waits in the executive. Then each result must be Linux's
 */
#include "tests/system/lib/guest.h"

static bool served(void)
{
	return raw_getppid() == PROBE_VALUE;
}

/* Returns Linux's id of the parent, which the executive does not answer. */
static long parent_of_linux(void)
{
	char line[300] = "", *at;
	const int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	const ssize_t got = read(fd, line, sizeof(line) - 1);

	close(fd);
	at = got > 0 ? strrchr(line, ')') : NULL;
	return at ? atol(at + 4) : -1;
}

/* Returns CHILD_GOOD if 1000 results in series are Linux's. */
static int linux_answers(void)
{
	for (int i = 0; i < 1000; i++) {
		const long parent = parent_of_linux();

		/* The parent can end between the two calls, at most twice. */
		if (raw_getppid() != parent && raw_getppid() != parent_of_linux())
			return 5;
		if (probe_id() != -ENOSYS)
			return 6;
	}
	return CHILD_GOOD;
}

static void ready(const char *file)
{
	close(open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

int main(int argc, char **argv)
{
	const long id = probe_id();
	long found;

	if (argc != 3 || id < 0 || !served())
		return 2;
	ready(argv[2]);
	if (!strcmp(argv[1], "waits")) {
		found = probe_wait(~0ull, 0);
		return found == -ENOSYS ? linux_answers() : 3;
	}
	while (served())
		if ((found = probe_id()) != id)
			return found == -ENOSYS ? linux_answers() : 4;
	return linux_answers();
}
