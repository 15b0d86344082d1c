// SPDX-License-Identifier: GPL-2.0
/* Tests the search for processes with open or mapped nodes. They are child processes, and the nodes are mostly files. */
#include "holders.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/sysmacros.h>

#include <cli/common/holder.h>
#include <cli/common/node.h>

#define MAX 16

static const struct holder_files nodes = { .root = root };

/* Finds all holders of nodes. Returns that process, or NULL. */
static const struct holder *found(pid_t pid)
{
	static struct holder list[MAX];
	size_t count = holders_find(&nodes, list, MAX);

	for (size_t i = 0; i < count; i++)
		if (list[i].pid == pid)
			return &list[i];
	return NULL;
}

/* Checks that a process is found with a file, and ends it. */
static void assert_holds(pid_t child, const char *file)
{
	const struct holder *holder = found(child);

	if (!holder)
		fail_msg("the holder of %s is not found", file);
	assert_string_equal(holder->file, file);
	child_end(child);
	assert_null(found(child));
}

/* Returns the path of a file below the root. */
static const char *below(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s%s", root, name);
	return path;
}

static void hold_mapped(const char *name, int ready)
{
	int fd = file_open(name);

	prctl(PR_SET_NAME, "maps");
	assert_true(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED);
	close(fd);
	ready_say(ready);
}

static void all_are_found_and_killed(void **state)
{
	const pid_t opens = child_start(hold_open, "/dev/limpet/opens"),
		    maps = child_start(hold_mapped, "/dev/limpet/maps");
	char text[512], wanted[256];
	struct holder list[4], only;
	int status;

	(void)state;
	unlink(below("/dev/limpet/opens")); /* like a node of a system that has ended */
	assert_int_equal(holders_find(&nodes, list, 4), 2);
	assert_string_equal(found(opens)->program, "opens");
	assert_string_equal(found(opens)->file, below("/dev/limpet/opens"));
	assert_string_equal(found(maps)->program, "maps");
	only = *found(opens);
	holders_name(&only, 1, text, sizeof(text));
	snprintf(wanted, sizeof(wanted), "%d (opens) has %s", opens, below("/dev/limpet/opens"));
	assert_string_equal(text, wanted);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(holder_kill(&nodes, &list[i]), 0);
	assert_int_equal(waitpid(opens, &status, 0), opens);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(waitpid(maps, &status, 0), maps);
	assert_int_equal(holders_find(&nodes, list, 4), 0);
}

/* The path of one file is not a prefix of other files. */
static void one_file_is_that_file(void **state)
{
	const pid_t longer = child_start(hold_open, "/dev/limpet/crash.10");
	char path[512];
	const struct holder_files file = { .root = root, .file = path };
	struct holder list[2];

	(void)state;
	strcpy(path, below("/dev/limpet/crash.1"));
	assert_int_equal(holders_find(&file, list, 2), 0);
	strcpy(path, below("/dev/limpet/crash.10"));
	assert_int_equal(holders_find(&file, list, 2), 1);
	assert_int_equal(list[0].pid, longer);
	assert_string_equal(list[0].file, path);
	child_end(longer);
}

static void who_holds_nothing_is_not_killed(void **state)
{
	struct holder parent = { .pid = getppid() };
	int own = file_open("/dev/limpet/own");
	struct holder list[4];

	(void)state;
	assert_int_equal(holders_find(&nodes, list, 4), 0); /* this process is not listed */
	assert_int_equal(holder_kill(&nodes, &parent), -ESRCH);
	close(own);
}

static void no_more_are_listed_than_there_is_space_for(void **state)
{
	const pid_t one = child_start(hold_open, "/dev/limpet/one"),
		    two = child_start(hold_open, "/dev/limpet/two");
	struct holder list[2] = { 0 };
	char text[8];

	(void)state;
	assert_int_equal(holders_find(&nodes, list, 1), 1);
	assert_int_equal(list[1].pid, 0);
	holders_find(&nodes, list, 2);
	holders_name(list, 2, text, sizeof(text));
	assert_int_equal(strlen(text), sizeof(text) - 1);
	child_end(one);
	child_end(two);
}

static void a_fifo_is_a_node(void **state)
{
	const pid_t other = child_start(hold_open, "/dev/rtfm"),
		    fifo = child_start(hold_open, "/dev/rtf12");

	(void)state;
	assert_null(found(other));
	child_end(other);
	assert_holds(fifo, below("/dev/rtf12"));
}

/* --- Threads */

static void *thread_hold(void *ready)
{
	ready_say(*(int *)ready);
	return NULL;
}

/* The table of descriptors and the memory of a thread that has ended are empty in /proc. */
static void hold_without_leader(const char *name, int ready)
{
	static int to;
	pthread_t thread;

	to = ready;
	file_open(name);
	assert_int_equal(pthread_create(&thread, NULL, thread_hold, &to), 0);
	pthread_exit(NULL);
}

/* Waits until the first thread of a process has ended. */
static void leader_wait(pid_t pid)
{
	char path[64], line[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (!strstr(line, ") Z ")) {
		file = fopen(path, "r");
		assert_non_null(file);
		assert_non_null(fgets(line, sizeof(line), file));
		fclose(file);
		sched_yield();
	}
}

static void the_first_thread_may_have_ended(void **state)
{
	const pid_t child = child_start(hold_without_leader, "/dev/limpet/alone");

	(void)state;
	leader_wait(child);
	assert_holds(child, below("/dev/limpet/alone"));
}

static void hold_mapped_without_leader(const char *name, int ready)
{
	int fd = file_open(name);

	assert_true(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED);
	close(fd);
	hold_without_leader("/other", ready);
}

static void its_memory_is_searched(void **state)
{
	const pid_t child = child_start(hold_mapped_without_leader, "/dev/limpet/mapped");

	(void)state;
	leader_wait(child);
	assert_holds(child, below("/dev/limpet/mapped"));
}

struct own_table {
	const char *name;
	int ready;
};

static void *thread_hold_alone(void *own_table)
{
	const struct own_table *own = own_table;

	assert_int_equal(unshare(CLONE_FILES), 0);
	hold_open(own->name, own->ready);
	return NULL;
}

static void hold_in_own_table(const char *name, int ready)
{
	struct own_table own = { name, ready };
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, thread_hold_alone, &own), 0);
	pthread_join(thread, NULL);
}

static void a_thread_can_have_its_own_table(void **state)
{
	const pid_t child = child_start(hold_in_own_table, "/dev/limpet/apart");

	(void)state;
	assert_holds(child, below("/dev/limpet/apart"));
}

/* --- Numbers. The test takes devices that each Linux has for nodes of Limpet, which have another path here */

/* Makes Linux's record of a device. */
static void device_name(unsigned int number, const char *name)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "/sys/dev/char/1:%u/uevent", number);
	snprintf(text, sizeof(text), "MAJOR=1\nMINOR=%u\nDEVNAME=%s\nDEVMODE=0666\n", number, name);
	put(path, text);
}

static void hold_device(const char *path, int ready)
{
	assert_true(open(path, O_RDWR) >= 0);
	ready_say(ready);
}

static void a_node_can_have_another_path(void **state)
{
	const pid_t channel = child_start(hold_device, "/dev/full");

	(void)state;
	assert_null(found(channel));
	device_name(7, "full");
	assert_null(found(channel));
	device_name(7, "limpet/echo");
	assert_non_null(found(channel));
	device_name(7, "rtf3");
	assert_holds(channel, "/dev/full");
	device_name(7, "full");
}

static void a_file_is_found_by_its_number(void **state)
{
	const struct holder_files link = { .root = root, .file = below("/link") };
	struct holder list[MAX];
	pid_t child;
	size_t count;
	bool listed = false;

	(void)state;
	assert_int_equal(symlink("/dev/full", link.file), 0);
	child = child_start(hold_device, "/dev/full");
	count = holders_find(&link, list, MAX);
	for (size_t i = 0; i < count; i++)
		listed |= list[i].pid == child;
	assert_true(listed);
	child_end(child);
}

static void hold_mapped_device(const char *path, int ready)
{
	int fd = open(path, O_RDWR);

	assert_true(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED);
	close(fd);
	ready_say(ready);
}

/* Linux shows the number of a mapped device only to root. */
static void a_mapped_node_can_have_another_path(void **state)
{
	const pid_t child = child_start(hold_mapped_device, "/dev/zero");

	(void)state;
	assert_null(found(child));
	device_name(5, "limpet/shared");
	assert_int_equal(!!found(child), !geteuid());
	child_end(child);
	device_name(5, "zero");
}

/* A node of a system that has ended has no name any more. */
static void the_module_can_have_a_major_number(void **state)
{
	const dev_t number = makedev(240, 3);

	(void)state;
	assert_false(node_has_number(root, number));
	put("/proc/devices",
	    "Character devices:\n  1 mem\n240 limpet\n\nBlock devices:\n241 limpet\n");
	assert_true(node_has_number(root, number));
	assert_false(node_has_number(root, makedev(24, 3)));
	assert_false(node_has_number(root, makedev(241, 3)));
	put("/proc/devices", "Character devices:\n240 other\n");
	assert_false(node_has_number(root, number));
	nodes_make();
}

static void the_memory_of_guests_has_a_name_only(void **state)
{
	(void)state;
	assert_true(node_has_name("anon_inode:[limpet-guest]"));
	assert_false(node_has_name("/dev/limpet/control"));
	assert_false(node_has_name("anon_inode:[eventfd]"));
}

/* --- Forgeries. Users can make mount namespaces, and so files with any path. */

static void a_path_is_not_sufficient(void **state)
{
	const pid_t opens = child_start(hold_open, "/dev/limpet/forged"),
		    maps = child_start(hold_mapped, "/dev/limpet/maps-forged");
	const struct holder_files file = { .root = root, .file = below("/dev/limpet/forged") };
	struct holder list[2];

	(void)state;
	assert_null(found(opens));
	assert_null(found(maps));
	assert_int_equal(holders_find(&file, list, 2), 0);
	child_end(opens);
	child_end(maps);
}

static void reference_hold(const char *name, int ready)
{
	put(name, "");
	assert_true(open(below(name), O_PATH) >= 0);
	ready_say(ready);
}

/* O_PATH needs no permission for the node, and does not open it. */
static void a_reference_does_not_hold(void **state)
{
	const pid_t child = child_start(reference_hold, "/dev/limpet/reference");

	(void)state;
	assert_null(found(child));
	child_end(child);
}

static void hold_odd(const char *name, int ready)
{
	file_open(name);
	prctl(PR_SET_NAME, "a\nb\x1b[2J\x9b");
	ready_say(ready);
}

static void names_are_one_line(void **state)
{
	const pid_t child = child_start(hold_odd, "/dev/limpet/a\nb\x1b[2J");
	const struct holder *holder = found(child);

	(void)state;
	assert_non_null(holder);
	assert_string_equal(holder->program, "a?b?[2J?");
	assert_non_null(strstr(holder->file, "/dev/limpet/a?b?[2J"));
	assert_int_equal(holder->user, getuid());
	child_end(child);
}

/* --- Killing */

/* Its parent stops it when it ends, before its files are closed. */
static void hold_traced(const char *name, int ready)
{
	file_open(name);
	assert_int_equal(ptrace(PTRACE_TRACEME, 0, 0, 0), 0);
	ready_say(ready);
}

static void none_is_killed_twice(void **state)
{
	const pid_t child = child_start(hold_traced, "/dev/limpet/slow");
	const struct holder holder = { .pid = child };
	int status;

	(void)state;
	assert_int_equal(kill(child, SIGSTOP), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACEEXIT), 0);
	assert_int_equal(ptrace(PTRACE_CONT, child, 0, 0), 0);
	assert_int_equal(holder_kill(&nodes, &holder), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status >> 8, SIGTRAP | PTRACE_EVENT_EXIT << 8);
	assert_non_null(found(child));
	assert_int_equal(holder_kill(&nodes, &holder), -EALREADY);
	assert_int_equal(ptrace(PTRACE_CONT, child, 0, 0), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(holder_kill(&nodes, &holder), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_found_and_killed),
		cmocka_unit_test(one_file_is_that_file),
		cmocka_unit_test(who_holds_nothing_is_not_killed),
		cmocka_unit_test(no_more_are_listed_than_there_is_space_for),
		cmocka_unit_test(a_fifo_is_a_node),
		cmocka_unit_test(the_first_thread_may_have_ended),
		cmocka_unit_test(its_memory_is_searched),
		cmocka_unit_test(a_thread_can_have_its_own_table),
		cmocka_unit_test(a_node_can_have_another_path),
		cmocka_unit_test(a_file_is_found_by_its_number),
		cmocka_unit_test(a_mapped_node_can_have_another_path),
		cmocka_unit_test(the_module_can_have_a_major_number),
		cmocka_unit_test(the_memory_of_guests_has_a_name_only),
		cmocka_unit_test(a_path_is_not_sufficient),
		cmocka_unit_test(a_reference_does_not_hold),
		cmocka_unit_test(names_are_one_line),
		cmocka_unit_test(none_is_killed_twice),
	};

	if (root_make())
		return 1;
	nodes_make();
	return cmocka_run_group_tests(tests, NULL, root_remove);
}
