// SPDX-License-Identifier: GPL-2.0
/*
 * Tests a crash of the executive while a program has spaces. The restarted executive does not know
 * them. Held spaces continue with ENOENT, those that have not started get SIGKILL, and the program
 * creates new ones. A guest that crashes the executive twice gets SIGKILL.
 */
#include "use.h"

static void crash(void)
{
	raw(501, 0, 0, 0);
	_exit(1);
}

static void adds(long argument, long from, long value)
{
	for (value += argument; (from = spaces_switch(from, &value)) >= 0; value += argument)
		;
	_exit(from == -ENOENT ? 42 : 1);
}

int main(void)
{
	long space, value = 1, killed = 0, unknown = 0;
	int status;
	pid_t crasher;

	section("the spaces of an executive that has crashed");
	space = spaces_create(adds, TOP, 5);
	EQUAL(spaces_switch(space, &value), space);
	EQUAL(value, 6);
	EXPECT(spaces_create(adds, TOP, 6) > 0); /* it does not start */
	crasher = fork();
	if (!crasher)
		crash();
	EQUAL(waitpid(crasher, &status, 0), crasher);
	EQUAL(status, SIGKILL);
	EQUAL(spaces_switch(space, &value), -ENOENT);
	while (waitpid(-1, &status, __WALL) > 0) {
		killed += status == SIGKILL;
		unknown += status == 42 << 8;
	}
	EQUAL(killed, 1);
	EQUAL(unknown, 1);
	section("new ones");
	space = spaces_create(adds, TOP, 7);
	value = 1;
	EQUAL(spaces_switch(space, &value), space);
	EQUAL(value, 8);
	EQUAL(spaces_destroy(space), 0);
	EQUAL(waitpid(-1, NULL, __WALL), -1);
	return sections_finish();
}
