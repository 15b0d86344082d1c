// SPDX-License-Identifier: GPL-2.0
/*
 * Checks the processor's features that Linux uses. A feature that Linux has disabled counts as
 * missing.
 */
#include <stdio.h>
#include <string.h>

#include <cli/common/text.h>

#include "checks.h"

static const struct feature {
	const char *name;
	const char *flag;
	const char *reason; /* NULL: only a note */
	const char *remedy;
} features[] = {
	{ "x86-64", "lm", "Limpet's kernel is for 64-bit x86 processors",
	  "use a machine with an x86-64 processor and a 64-bit Linux" },
	{ "syscall", "syscall", "components call the kernel by the syscall instruction",
	  "use a processor that has it" },
	{ "fsgsbase", "fsgsbase", "threads' FS and GS bases are switched by FSGSBASE instructions",
	  "remove `nofsgsbase` from the kernel's command line, or use a processor since 2012" },
	{ "xsave", "xsave", "threads' vector registers are switched by XSAVE",
	  "remove `noxsave` from the kernel's command line, or use a processor since 2011" },
	{ "tsc", "tsc", "time is read from the time-stamp counter",
	  "remove `notsc` from the kernel's command line" },
	{ "smep", "smep", NULL, NULL },
	{ "smap", "smap", NULL, NULL },
	{ "pcid", "pcid", NULL, NULL },
};

static void read_flags(struct doctor *doctor)
{
	/* The first processor's lines are enough: Linux wants all of them alike. */
	static char info[16384];
	char *flags;

	text_read(doctor->root, "/proc/cpuinfo", info, sizeof(info));
	flags = strstr(info, "\nflags");
	flags = flags ? strchr(flags, ':') : NULL;
	if (flags)
		snprintf(doctor->flags, sizeof(doctor->flags), "%.*s",
			 (int)strcspn(flags + 1, "\n"), flags + 1);
}

static void check_feature(struct doctor *doctor, const struct feature *feature)
{
	bool have = text_has_word(doctor->flags, feature->flag);
	struct doctor_check *check;

	check = doctor_add(doctor, feature->name, feature->reason || have ? DOCTOR_OK : DOCTOR_NOTE,
			   have ? "present" : "absent");
	if (!have && feature->reason)
		doctor_refuse(check, feature->reason, feature->remedy);
}

/* Event delivery by FRED does not go through the IDT and MSR_LSTAR that Limpet hooks. */
static void check_fred(struct doctor *doctor)
{
	bool active = text_has_word(doctor->flags, "fred") &&
		      !text_has_word(doctor->command_line, "fred=off");
	struct doctor_check *check;

	check = doctor_add(doctor, "fred", DOCTOR_OK, active ? "active" : "not active");
	if (active)
		doctor_refuse(
			check,
			"FRED is active: events do not go through the entries that Limpet hooks",
			"boot with `fred=off` on the kernel's command line");
}

void doctor_processor(struct doctor *doctor)
{
	read_flags(doctor);
	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
		check_feature(doctor, &features[i]);
	check_fred(doctor);
}
