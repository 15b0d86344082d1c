// SPDX-License-Identifier: GPL-2.0
/* Tests the search for processes with open or mapped files of a folder. They are child processes. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cli/common/holder.h>

static char folder[64];

static int file_open(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	return fd;
}

/* Starts a child that has `name` open, or only mapped. */
static pid_t holder_make(const char *name, bool mapped)
{
	int ready[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (!child) {
		int fd = file_open(name);

		prctl(PR_SET_NAME, name);
		if (mapped) {
			mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
			close(fd);
		}
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return child;
}

static const struct holder *of(const struct holder *list, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].pid == pid)
			return &list[i];
	fail_msg("process %d is not found", pid);
	return NULL;
}

static void all_are_found_and_killed(void **state)
{
	const pid_t opens = holder_make("opens", false), maps = holder_make("maps", true);
	char text[512], wanted[256], path[128];
	struct holder list[4];
	size_t count;
	int status;

	(void)state;
	snprintf(path, sizeof(path), "%sopens", folder);
	unlink(path); /* like a node of a system that has ended */
	count = holders_find(folder, list, 4);
	assert_int_equal(count, 2);
	assert_string_equal(of(list, count, opens)->program, "opens");
	assert_string_equal(of(list, count, opens)->file, path);
	assert_string_equal(of(list, count, maps)->program, "maps");
	holders_name(of(list, count, opens), 1, text, sizeof(text));
	snprintf(wanted, sizeof(wanted), "%d (opens) has %s", opens, path);
	assert_string_equal(text, wanted);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(holder_kill(folder, &list[i]), 0);
	assert_int_equal(waitpid(opens, &status, 0), opens);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(waitpid(maps, &status, 0), maps);
	assert_int_equal(holders_find(folder, list, 4), 0);
}

/* The path of one file is not a prefix of other files. */
static void one_file_is_that_file(void **state)
{
	const pid_t longer = holder_make("crash.10", false);
	struct holder list[2];
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%scrash.1", folder);
	assert_int_equal(holders_find(path, list, 2), 0);
	snprintf(path, sizeof(path), "%scrash.10", folder);
	assert_int_equal(holders_find(path, list, 2), 1);
	assert_int_equal(list[0].pid, longer);
	assert_string_equal(list[0].file, path);
	kill(longer, SIGKILL);
	assert_int_equal(waitpid(longer, NULL, 0), longer);
}

static void who_holds_nothing_is_not_killed(void **state)
{
	struct holder parent = { .pid = getppid() };
	int own = file_open("own");
	struct holder list[4];

	(void)state;
	assert_int_equal(holders_find(folder, list, 4), 0); /* this process is not listed */
	assert_int_equal(holder_kill(folder, &parent), -ESRCH);
	close(own);
}

static void no_more_are_listed_than_there_is_space_for(void **state)
{
	const pid_t one = holder_make("one", false), two = holder_make("two", false);
	struct holder list[2] = { 0 };
	char text[8];

	(void)state;
	assert_int_equal(holders_find(folder, list, 1), 1);
	assert_int_equal(list[1].pid, 0);
	holders_find(folder, list, 2);
	holders_name(list, 2, text, sizeof(text));
	assert_int_equal(strlen(text), sizeof(text) - 1);
	kill(one, SIGKILL);
	kill(two, SIGKILL);
	waitpid(one, NULL, 0);
	waitpid(two, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_found_and_killed),
		cmocka_unit_test(one_file_is_that_file),
		cmocka_unit_test(who_holds_nothing_is_not_killed),
		cmocka_unit_test(no_more_are_listed_than_there_is_space_for),
	};
	char base[] = "/tmp/limpet-holder-XXXXXX";

	if (!mkdtemp(base))
		return 1;
	snprintf(folder, sizeof(folder), "%s/", base);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
