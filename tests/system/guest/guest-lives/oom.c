// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that Linux's OOM killer kills a guest whose executive waits, because another guest of the
 * same control group uses memory.
 *
 * Linux looks for another process to kill as soon as the victim has unmapped its pages. It frees them in batches of
 * 10,000 pages, and the last batch is still charged to the group at that moment. So Linux may kill a second process
 * (without Limpet: in 3 of 30 rounds). Therefore the victim has more than one batch, and the first batch is enough for
 * the other guest.
 */
#include "tests/system/lib/guest.h"

#include <sys/mount.h>
#include <sys/stat.h>

#define GROUPS "/tmp/groups"
#define GROUP GROUPS "/memory"
#define MIB (1l << 20)

static void text_write(const char *path, const char *text)
{
	const int file = open(path, O_WRONLY | O_CLOEXEC);

	EQUAL(write(file, text, strlen(text)), strlen(text));
	close(file);
}

static void *use(long bytes)
{
	char *memory = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT(memory != MAP_FAILED);
	memset(memory, 1, (size_t)bytes);
	return memory;
}

static pid_t victim_begin(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	text_write("/proc/self/oom_score_adj", "1000");
	use(60 * MIB);
	probe_wait(~0ull, 0);
	_exit(1);
}

static pid_t hog_begin(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	use(30 * MIB);
	EXPECT(probe_id() >= 0);
	child_exit();
}

int main(void)
{
	pid_t victim, hog;

	section("a control group with 80 MiB of memory");
	mkdir(GROUPS, 0700);
	EQUAL(mount("none", GROUPS, "cgroup2", 0, NULL), 0);
	text_write(GROUPS "/cgroup.subtree_control", "+memory");
	EQUAL(mkdir(GROUP, 0700), 0);
	text_write(GROUP "/memory.max", "80M");
	text_write(GROUP "/cgroup.procs", "0");
	section("the executive of the victim waits, and the victim is killed");
	victim = victim_begin();
	EXPECT(task_sleeps_within(victim, 20));
	hog = hog_begin();
	KILLED(victim, SIGKILL);
	section("the other guest continues");
	GOOD(hog);
	EXPECT(probe_id() >= 0);
	text_write(GROUPS "/cgroup.procs", "0");
	for (int i = 0; rmdir(GROUP) && i < 1000; i++)
		pause_us(10000);
	EQUAL(umount(GROUPS), 0);
	probe_check();
	return sections_finish();
}
