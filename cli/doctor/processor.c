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
	{ "x86-64", "lm", "Limpet's kernel needs a 64-bit x86 processor.",
	  "Use a machine with an x86-64 processor and a 64-bit Linux." },
	{ "syscall", "syscall", "Components call the kernel with the syscall instruction.",
	  "Use a processor that has this instruction." },
	{ "fsgsbase", "fsgsbase",
	  "Limpet switches the FS and GS bases of threads with FSGSBASE instructions.",
	  "Remove `nofsgsbase` from the kernel's command line, or use a processor from 2012 or "
	  "later." },
	{ "xsave", "xsave", "Limpet switches the vector registers of threads with XSAVE.",
	  "Remove `noxsave` from the kernel's command line, or use a processor from 2011 or later." },
	{ "tsc", "tsc", "Limpet reads the time from the time-stamp counter.",
	  "Remove `notsc` from the kernel's command line." },
	{ "smep", "smep", NULL, NULL },
	{ "smap", "smap", NULL, NULL },
	{ "pcid", "pcid", NULL, NULL },
};

static void read_flags(struct doctor *doctor)
{
	/* The first processor's lines are sufficient, because Linux requires equal features on all processors. */
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
			"FRED is active, so events do not go through the entries that Limpet hooks.",
			"Boot with `fred=off` on the kernel's command line.");
}

void doctor_processor(struct doctor *doctor)
{
	read_flags(doctor);
	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++)
		check_feature(doctor, &features[i]);
	check_fred(doctor);
}
