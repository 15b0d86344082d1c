// SPDX-License-Identifier: GPL-2.0
/* What helps or hurts response times; nothing here is in the way. */
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
}
