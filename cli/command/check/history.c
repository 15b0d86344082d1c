// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#include <cli/command/check/history.h>
#include <cli/command/check/machine.h>
#include <cli/common/text.h>

#define PATH 320
#define SMI_COUNT 0x34 /* MSR_SMI_COUNT, Intel SDM vol. 4 table 2-2 */

static int64_t smis_read(const char *root, unsigned int cpu)
{
	char path[PATH];
	int64_t count = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/dev/cpu/%u/msr", root, cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (pread(fd, &count, sizeof(count), SMI_COUNT) != sizeof(count))
		count = -1;
	close(fd);
	return count;
}

static int64_t nmis_read(const char *root, unsigned int cpu)
{
	static char line[MACHINE_LINE];
	FILE *file = machine_open(root, "/proc/interrupts");
	int column = file && fgets(line, sizeof(line), file) ? machine_column(line, cpu) : -1;
	int64_t count = -1;

	while (column >= 0 && count < 0 && fgets(line, sizeof(line), file)) {
		char *at = line + strspn(line, " "), *end;

		if (strncmp(at, "NMI:", 4))
			continue;
		at += 4;
		for (int n = 0; n <= column; n++, at = end) {
			count = (int64_t)strtoull(at, &end, 10);
			if (end == at)
				count = -1;
		}
		break;
	}
	if (file)
		fclose(file);
	return count;
}

static long number_read(const char *root, unsigned int cpu, const char *name)
{
	char path[PATH];
	long number;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/%.200s", cpu, name);
	return text_read_number(root, path, &number) ? number : -1;
}

static void states_read(struct history_moment *moment, const char *root, unsigned int cpu)
{
	char path[PATH];

	for (moment->states = 0; moment->states < HISTORY_STATES; moment->states++) {
		struct history_state *state = &moment->state[moment->states];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpuidle/state%u/name",
			 cpu, moment->states);
		if (!text_read(root, path, state->name, sizeof(state->name)))
			return;
		snprintf(path, sizeof(path), "cpuidle/state%u/usage", moment->states);
		state->usage = number_read(root, cpu, path);
		snprintf(path, sizeof(path), "cpuidle/state%u/latency", moment->states);
		state->latency_us = number_read(root, cpu, path);
	}
}

void history_read(struct history *history, const char *root, unsigned int cpu)
{
	struct history_moment *moment = &history->moment[history->next % HISTORY_MOMENTS];

	*moment = (struct history_moment){
		.ticks = __rdtsc(),
		.smis = smis_read(root, cpu),
		.nmis = nmis_read(root, cpu),
		.transitions = number_read(root, cpu, "cpufreq/stats/total_trans"),
		.khz = number_read(root, cpu, "cpufreq/scaling_cur_freq"),
		.khz_min = number_read(root, cpu, "cpufreq/cpuinfo_min_freq"),
		.khz_max = number_read(root, cpu, "cpufreq/cpuinfo_max_freq"),
		.hot_core = number_read(root, cpu, "thermal_throttle/core_throttle_count"),
		.hot_package = number_read(root, cpu, "thermal_throttle/package_throttle_count"),
	};
	states_read(moment, root, cpu);
	text_read(root, "/sys/devices/system/cpu/online", moment->online, sizeof(moment->online));
	moment->done = __rdtsc();
	if (!history->next++)
		history->first = *moment;
}

/* Returns by how much a counter rose. An unknown counter, or one that was reset, did not rise. */
static int64_t rise(int64_t before, int64_t after)
{
	return before >= 0 && after > before ? after - before : 0;
}

/* Returns whether two readings of the frequency differ by more than a tenth, which is more than errors of reading. */
static bool khz_differ(long one, long other)
{
	return one > 0 && other > 0 && labs(one - other) > (one > other ? one : other) / 10;
}

static void states_compare(struct history_change *change, const struct history_moment *before,
			   const struct history_moment *after)
{
	for (unsigned int i = 0; i < before->states && i < after->states; i++) {
		const struct history_state *state = &after->state[i];
		const long entered = rise(before->state[i].usage, state->usage);

		if (entered &&
		    (!change->state.usage || state->latency_us > change->state.latency_us)) {
			change->state = *state;
			change->state.usage = entered;
		}
	}
}

/* Returns how often heat throttled the CPU. The counts of its core and of its package can include the same time. */
static int64_t hot_compare(const struct history_moment *before, const struct history_moment *after)
{
	const int64_t core = rise(before->hot_core, after->hot_core);
	const int64_t package = rise(before->hot_package, after->hot_package);

	return core > package ? core : package;
}

static void moments_compare(struct history_change *change, const struct history_moment *before,
			    const struct history_moment *after)
{
	*change = (struct history_change){
		.smis = rise(before->smis, after->smis),
		.nmis = rise(before->nmis, after->nmis),
		.hot = hot_compare(before, after),
		.frequency = rise(before->transitions, after->transitions) ||
			     khz_differ(before->khz, after->khz),
		.slowest = after->khz_min > 0 && after->khz_max > after->khz_min
				   ? (double)after->khz_max / (double)after->khz_min
				   : 1,
		.khz = after->khz,
		.khz_max = after->khz_max,
	};
	states_compare(change, before, after);
	if (*before->online && *after->online) {
		strcpy(change->before, before->online);
		strcpy(change->after, after->online);
	}
}

void history_compare(const struct history *history, uint64_t from, uint64_t to,
		     struct history_change *change)
{
	const uint64_t kept = history->next < HISTORY_MOMENTS ? history->next : HISTORY_MOMENTS;
	const struct history_moment *before, *after;

	*change = (struct history_change){ .slowest = 1 };
	if (!kept)
		return;
	before = &history->moment[(history->next - kept) % HISTORY_MOMENTS];
	after = &history->moment[(history->next - 1) % HISTORY_MOMENTS];
	for (uint64_t n = history->next - kept; n < history->next; n++) {
		const struct history_moment *moment = &history->moment[n % HISTORY_MOMENTS];

		if (moment->done <= from)
			before = moment;
		if (moment->ticks >= to) {
			after = moment;
			break;
		}
	}
	moments_compare(change, before, after);
}

void history_whole(const struct history *history, struct history_change *change)
{
	*change = (struct history_change){ .slowest = 1 };
	if (history->next)
		moments_compare(change, &history->first,
				&history->moment[(history->next - 1) % HISTORY_MOMENTS]);
}

bool history_cpus_changed(const struct history_change *change)
{
	return strcmp(change->before, change->after) != 0;
}
