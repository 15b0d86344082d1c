// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include <cli/command/check/machine.h>
#include <cli/common/text.h>

#define FOLDER 256
#define PATH 320
#define LINE MACHINE_LINE
#define DEADLINE_POLICY 6 /* SCHED_DEADLINE */
#define STAT_PRIORITY 40  /* fields of /proc/PID/stat, from 1, see proc(5) */
#define STAT_POLICY 41
#define STAT_PROCESSOR 39

FILE *machine_open(const char *root, const char *path)
{
	char whole[PATH];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	return fopen(whole, "re");
}

/* --- Interrupts */

int machine_column(char *head, unsigned int cpu)
{
	int column = 0;

	for (char *at = head, *word; (word = strtok(at, " \n")); at = NULL, column++)
		if (!strncmp(word, "CPU", 3) && strtoul(word + 3, NULL, 10) == cpu)
			return column;
	return -1;
}

/*
 * Writes the name of an interrupt: its number and the last word of its line, or its letters and the
 * text of its line.
 */
static void interrupt_name(char *to, const char *line, const char *text)
{
	const char *number = line + strspn(line, " "), *last;
	const int length = (int)strcspn(number, ":");

	text += strspn(text, " ");
	last = isdigit((unsigned char)*number) ? strrchr(text, ' ') : NULL;
	snprintf(to, MACHINE_NAME, "%.*s (%.32s)", length, number, last ? last + 1 : text);
}

/* Takes the count of a column from a line. Returns false if the line has no such column. */
static bool interrupt_take(struct machine_interrupt *to, const char *line, int column)
{
	const char *at = strchr(line, ':');
	char *end;

	if (!at)
		return false;
	at++;
	for (int n = 0;; n++) {
		uint64_t count = strtoull(at, &end, 10);

		if (end == at) { /* the counts end here */
			interrupt_name(to->name, line, at);
			return n > column;
		}
		if (n == column)
			to->count = count;
		at = end;
	}
}

static void interrupts_read(struct machine *machine, const char *root, unsigned int cpu)
{
	static char line[LINE];
	FILE *file = machine_open(root, "/proc/interrupts");
	int column;

	if (!file)
		return;
	column = fgets(line, sizeof(line), file) ? machine_column(line, cpu) : -1;
	while (column >= 0 && machine->interrupts < MACHINE_INTERRUPTS &&
	       fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		if (interrupt_take(&machine->interrupt[machine->interrupts], line, column))
			machine->interrupts++;
	}
	fclose(file);
}

/* --- Threads of Linux */

struct task_stat {
	char name[MACHINE_NAME];
	long priority, policy, processor;
};

/* Reads /proc/PID/task/ID/stat. The name can contain spaces and parentheses. */
static bool task_stat_read(struct task_stat *stat, const char *root, const char *folder)
{
	char path[PATH], text[1024], *name, *end, *at;
	int field = 2;

	snprintf(path, sizeof(path), "%.*s/stat", FOLDER, folder);
	if (!text_read(root, path, text, sizeof(text)))
		return false;
	name = strchr(text, '(');
	end = strrchr(text, ')');
	if (!name || !end || end < name)
		return false;
	snprintf(stat->name, sizeof(stat->name), "%.*s", (int)(end - name - 1), name + 1);
	for (at = strtok(end + 1, " "); at; at = strtok(NULL, " ")) {
		field++;
		if (field == STAT_PROCESSOR)
			stat->processor = atol(at);
		else if (field == STAT_PRIORITY)
			stat->priority = atol(at);
		else if (field == STAT_POLICY)
			stat->policy = atol(at);
	}
	return field >= STAT_POLICY;
}

static const char *policy_word(long policy)
{
	return policy == DEADLINE_POLICY ? "SCHED_DEADLINE"
	       : policy == SCHED_RR	 ? "SCHED_RR"
					 : "SCHED_FIFO";
}

struct task_search {
	struct machine *machine;
	const char *root;
	unsigned int cpu;
	int priority;
};

static void task_take(const struct task_search *search, const char *folder, int id)
{
	struct machine *machine = search->machine;
	struct task_stat stat = { .priority = 0 };
	char path[PATH], text[128];

	if (machine->tasks == MACHINE_TASKS || !task_stat_read(&stat, search->root, folder) ||
	    stat.processor != (long)search->cpu ||
	    (stat.policy != DEADLINE_POLICY && stat.priority <= search->priority))
		return;
	snprintf(path, sizeof(path), "%.*s/schedstat", FOLDER, folder);
	if (!text_read(search->root, path, text, sizeof(text)))
		return;
	machine->task[machine->tasks] = (struct machine_task){
		.id = id,
		.policy = policy_word(stat.policy),
		.priority = (int)stat.priority,
		.ran_ns = strtoull(text, NULL, 10),
	};
	strcpy(machine->task[machine->tasks++].name, stat.name);
}

/* Calls `each` for each folder in `path` whose name is a number. */
static void numbers_each(const char *root, const char *path,
			 void (*each)(const struct task_search *search, const char *folder, int id),
			 const struct task_search *search)
{
	char whole[PATH];
	const struct dirent *entry;
	DIR *folder;

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	folder = opendir(whole);
	while (folder && (entry = readdir(folder))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		snprintf(whole, sizeof(whole), "%s/%.20s", path, entry->d_name);
		each(search, whole, atoi(entry->d_name));
	}
	if (folder)
		closedir(folder);
}

static void process_take(const struct task_search *search, const char *folder, int id)
{
	char path[PATH];

	(void)id;
	snprintf(path, sizeof(path), "%.*s/task", FOLDER, folder);
	numbers_each(search->root, path, task_take, search);
}

int machine_priority(const char *root, int pid, unsigned int cpu)
{
	static struct machine machine;
	const struct task_search search = { &machine, root, cpu, 0 };
	char folder[PATH];

	machine.tasks = 0;
	snprintf(folder, sizeof(folder), "/proc/%d", pid);
	process_take(&search, folder, pid);
	return machine.tasks ? machine.task[0].priority : 0;
}

/* --- The rest */

static int64_t steal_read(const char *root, unsigned int cpu)
{
	char line[512], name[16];
	FILE *file = machine_open(root, "/proc/stat");
	int64_t steal = -1;
	uint64_t ticks;

	snprintf(name, sizeof(name), "cpu%u", cpu);
	while (file && steal < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ' ' &&
		    sscanf(line, "%*s %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &ticks) == 1)
			steal = (int64_t)(ticks * 1000 / (uint64_t)sysconf(_SC_CLK_TCK));
	if (file)
		fclose(file);
	return steal;
}

static void throttle_read(struct machine *machine, const char *root)
{
	long runtime = -1, period = 0;

	if (!text_read_number(root, "/proc/sys/kernel/sched_rt_runtime_us", &runtime) ||
	    !text_read_number(root, "/proc/sys/kernel/sched_rt_period_us", &period) ||
	    runtime < 0 || runtime >= period)
		return;
	machine->throttle_us = period - runtime;
	machine->throttle_period_us = period;
}

void machine_read(struct machine *machine, const char *root, unsigned int cpu, int priority)
{
	const struct task_search search = { machine, root, cpu, priority };
	struct timespec now;

	memset(machine, 0, sizeof(*machine));
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	machine->ticks = __rdtsc();
	machine->ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	interrupts_read(machine, root, cpu);
	numbers_each(root, "/proc", process_take, &search);
	machine->steal_ms = steal_read(root, cpu);
	throttle_read(machine, root);
}

const struct machine_interrupt *machine_busiest(const struct machine *before,
						const struct machine *after, uint64_t *count)
{
	const struct machine_interrupt *busiest = NULL;

	*count = 0;
	for (unsigned int i = 0; i < after->interrupts; i++) {
		const struct machine_interrupt *now = &after->interrupt[i];
		uint64_t came = now->count;

		for (unsigned int j = 0; j < before->interrupts; j++)
			if (!strcmp(before->interrupt[j].name, now->name))
				came -= before->interrupt[j].count < came
						? before->interrupt[j].count
						: came;
		if (came > *count) {
			*count = came;
			busiest = now;
		}
	}
	return busiest;
}

const struct machine_task *machine_longest(const struct machine *before,
					   const struct machine *after, uint64_t *ns)
{
	const struct machine_task *longest = NULL;

	*ns = 0;
	for (unsigned int i = 0; i < after->tasks; i++) {
		const struct machine_task *now = &after->task[i];
		uint64_t ran = now->ran_ns;

		for (unsigned int j = 0; j < before->tasks; j++)
			if (before->task[j].id == now->id)
				ran -= before->task[j].ran_ns;
		if (ran > *ns) {
			*ns = ran;
			longest = now;
		}
	}
	return longest;
}
