// SPDX-License-Identifier: GPL-2.0
/*
 * Mitigations of processor bugs that Linux applies at its kernel entries. In beside mode Limpet's
 * entries must apply them, too.
 */
#include <stdio.h>
#include <string.h>

#include <cli/common/text.h>

#include "checks.h"

#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities/"

#define TRUST                                                                                      \
	"Run `limpet attach --trust-components` if every component may read all memory, as the kernel may, "

static const struct mitigation {
	const char *name;
	const char *file;
	const char *text;   /* a file that holds this text is refused; releases differ in case */
	const char *unless; /* but not on a processor with this flag; NULL: on each processor */
	const char *flag, *other; /* a processor with both flags is refused, too; NULL: no flags */
	const char *reason;
	const char *remedy;
} mitigations[] = {
	{ "page-table-isolation", "meltdown", NULL, NULL, "pti", "la57",
	  "Page tables are isolated and have five levels, for which Limpet makes no restricted tables.",
	  TRUST "or boot with `no5lvl`." },
	{ "retbleed", "retbleed", "Mitigation: IBRS", "pti", NULL, NULL,
	  "IBRS must be written at each kernel entry, which Limpet does only with page-table isolation.",
	  TRUST "or boot without `nopti` and `pti=off`." },
	{ "retbleed", "retbleed", "Mitigation: Stuffing", NULL, NULL, NULL,
	  "Linux counts calls, which Limpet's entries do not do.",
	  TRUST "or boot without `retbleed=stuff`." },
	{ "spectre-v2", "spectre_v2", "Mitigation: IBRS", "pti", NULL, NULL,
	  "IBRS must be written at each kernel entry, which Limpet does only with page-table isolation.",
	  TRUST "or boot with `spectre_v2=retpoline`." },
	{ "srso", "spec_rstack_overflow", NULL, NULL, NULL, NULL, NULL, NULL },
};

#define MITIGATIONS (sizeof(mitigations) / sizeof(*mitigations))

static bool has_text(const struct doctor *doctor, const struct mitigation *mitigation,
		     const char *text)
{
	return mitigation->text && strstr(text, mitigation->text) &&
	       !(mitigation->unless && text_has_word(doctor->flags, mitigation->unless));
}

static bool has_flags(const struct doctor *doctor, const struct mitigation *mitigation)
{
	return mitigation->flag && text_has_word(doctor->flags, mitigation->flag) &&
	       text_has_word(doctor->flags, mitigation->other);
}

/* Prints one line for each file. Rows of the table with the same name must be adjacent. */
static void check_file(struct doctor *doctor, size_t first, size_t end)
{
	struct doctor_check *check;
	char path[128];
	char text[DOCTOR_TEXT];

	snprintf(path, sizeof(path), VULNERABILITIES "%s", mitigations[first].file);
	if (!text_read(doctor->root, path, text, sizeof(text) - 1))
		snprintf(text, sizeof(text), "not known to this kernel");
	check = doctor_add(doctor, mitigations[first].name, DOCTOR_OK, "%s", text);
	strcat(text, "\n"); /* so that a row can ask for a line that ends there */
	for (size_t i = first; i < end; i++)
		if (has_text(doctor, &mitigations[i], text) || has_flags(doctor, &mitigations[i])) {
			doctor_refuse(check, mitigations[i].reason, mitigations[i].remedy);
			check->entry = true;
		}
}

void doctor_mitigations(struct doctor *doctor)
{
	size_t end;

	for (size_t first = 0; first < MITIGATIONS; first = end) {
		end = first + 1;
		while (end < MITIGATIONS && !strcmp(mitigations[end].name, mitigations[first].name))
			end++;
		check_file(doctor, first, end);
	}
	doctor_add(
		doctor, "trust-components", DOCTOR_NOTE,
		"Without this option, Limpet's entries protect against speculation as Linux's do. With "
		"it, components count as parts of the kernel, and entries take less time.");
}
