// SPDX-License-Identifier: GPL-2.0
/* Reports settings that affect response times. None of them prevents attaching. */
#include <string.h>

#include <cli/common/text.h>

#include "checks.h"

static void note_list(struct doctor *doctor, const char *name, const char *path)
{
	char text[DOCTOR_TEXT];

	text_read(doctor->root, path, text, sizeof(text));
	doctor_add(doctor, name, DOCTOR_NOTE, "%s", *text && *text != '(' ? text : "none");
}

/* Returns a part of a whole, per mille, rounded up. */
static long per_mille(long part, long whole)
{
	return (1000 * part + whole - 1) / whole;
}

static void note_throttling(struct doctor *doctor)
{
	long runtime = -1;
	long period = 1000000;

	text_read_number(doctor->root, "/proc/sys/kernel/sched_rt_runtime_us", &runtime);
	text_read_number(doctor->root, "/proc/sys/kernel/sched_rt_period_us", &period);
	if (runtime < 0 || runtime >= period)
		doctor_add(doctor, "rt-throttling", DOCTOR_NOTE, "off");
	else
		doctor_add(doctor, "rt-throttling", DOCTOR_NOTE,
			   "on: %ld of %ld us; run with --linux-share above %ld", runtime, period,
			   per_mille(period - runtime, period));
}

static bool fair_server_read(struct doctor *doctor, int cpu, const char *name, long *number)
{
	char path[DOCTOR_TEXT];

	snprintf(path, sizeof(path), "/sys/kernel/debug/sched/fair_server/cpu%d/%s", cpu, name);
	return text_read_number(doctor->root, path, number);
}

/*
 * Since 6.12, each CPU has a server that runs waiting ordinary tasks before real-time tasks for a
 * part of each period. The largest part is reported, because components may run on any CPU.
 */
static void note_fair_server(struct doctor *doctor)
{
	long runtime, period;
	long max = 0;
	int cpu = 0;

	for (; fair_server_read(doctor, cpu, "runtime", &runtime) &&
	       fair_server_read(doctor, cpu, "period", &period) && period > 0;
	     cpu++)
		if (per_mille(runtime, period) > max)
			max = per_mille(runtime, period);
	if (max)
		doctor_add(doctor, "fair-server", DOCTOR_NOTE,
			   "on: run with --linux-share above %ld", max);
	else if (cpu || !strncmp(doctor->release, "6.1.", 4))
		doctor_add(doctor, "fair-server", DOCTOR_NOTE, "off");
	else
		doctor_add(doctor, "fair-server", DOCTOR_NOTE,
			   "not visible; run mount -t debugfs debugfs /sys/kernel/debug as root");
}

static void note_preemption(struct doctor *doctor)
{
	char text[8];

	text_read(doctor->root, "/sys/kernel/realtime", text, sizeof(text));
	doctor_add(doctor, "preempt-rt", DOCTOR_NOTE, *text == '1' ? "yes" : "no");
}

void doctor_realtime(struct doctor *doctor)
{
	note_preemption(doctor);
	note_list(doctor, "isolated-cpus", "/sys/devices/system/cpu/isolated");
	note_list(doctor, "nohz-full", "/sys/devices/system/cpu/nohz_full");
	note_throttling(doctor);
	note_fair_server(doctor);
}
