// SPDX-License-Identifier: GPL-2.0
/* What helps or hurts response times; nothing here is in the way. */
#include <string.h>

#include <cli/text.h>

#include "doctor.h"

static void note_list(struct doctor *doctor, const char *name, const char *path)
{
	char text[DOCTOR_TEXT];

	text_read(doctor->root, path, text, sizeof(text));
	doctor_add(doctor, name, DOCTOR_NOTE, "%s", *text && *text != '(' ? text : "none");
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
			   (1000 * (period - runtime) + period - 1) / period);
}

/* Since 6.12: ordinary tasks that had to wait come before real-time ones, for a part of each period. */
static void note_fair_server(struct doctor *doctor)
{
	const char *folder = "/sys/kernel/debug/sched/fair_server/cpu0/";
	char path[DOCTOR_TEXT];
	long runtime = 0;
	long period = 0;

	snprintf(path, sizeof(path), "%speriod", folder);
	text_read_number(doctor->root, path, &period);
	snprintf(path, sizeof(path), "%sruntime", folder);
	if (text_read_number(doctor->root, path, &runtime) && runtime > 0 && period > 0)
		doctor_add(doctor, "fair-server", DOCTOR_NOTE,
			   "on: %ld of %ld us; run with --linux-share above %ld", runtime / 1000,
			   period / 1000, (1000 * runtime + period - 1) / period);
	else if (!text_exists(doctor->root, path) && !strncmp(doctor->release, "6.12.", 5))
		doctor_add(doctor, "fair-server", DOCTOR_NOTE,
			   "not to be seen: mount -t debugfs debugfs /sys/kernel/debug");
	else
		doctor_add(doctor, "fair-server", DOCTOR_NOTE, "off");
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
