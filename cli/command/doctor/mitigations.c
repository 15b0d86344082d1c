// SPDX-License-Identifier: GPL-2.0
/*
 * Mitigations of processor bugs that need work at every entry into the kernel, or exit from it,
 * which Limpet's own entries do not do.
 */
#include <stdio.h>
#include <string.h>

#include <cli/common/text.h>

#include "checks.h"

#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities/"

static const struct mitigation {
	const char *name;
	const char *file;
	const char *text; /* a file that holds this text is refused; releases differ in case */
	const char *flag; /* and so is a processor with this flag; NULL: none */
	const char *reason;
	const char *remedy;
} mitigations[] = {
	{ "page-table-isolation", "meltdown", "Mitigation: PTI", "pti",
	  "page-table isolation is in force: component page tables have no kernel half to enter by",
	  "boot with `nopti`, only if the processor is not affected by Meltdown; else use a newer "
	  "processor" },
	{ "retbleed", "retbleed", "untrained return thunk", NULL,
	  "return predictions must be untrained at each kernel entry, which Limpet does not do",
	  "use a processor that retbleed does not affect, or accept the risk: `retbleed=off`" },
	{ "retbleed", "retbleed", "Mitigation: IBRS", NULL,
	  "IBRS must be written at each kernel entry, which Limpet does not do",
	  "use a processor that retbleed does not affect, or accept the risk: `retbleed=off`" },
	{ "retbleed", "retbleed", "Mitigation: IBPB", NULL,
	  "IBPB must be written at each kernel entry, which Limpet does not do",
	  "use a processor that retbleed does not affect, or accept the risk: `retbleed=off`" },
	{ "spectre-v2", "spectre_v2", "Mitigation: IBRS", NULL,
	  "IBRS must be written at each kernel entry, which Limpet does not do",
	  "boot with `spectre_v2=retpoline`" },
	{ "srso", "spec_rstack_overflow", "afe RET", NULL,
	  "return predictions must be untrained at each kernel entry, which Limpet does not do",
	  "use a processor that SRSO does not affect, or accept the risk: "
	  "`spec_rstack_overflow=off`" },
	{ "srso", "spec_rstack_overflow", "Mitigation: IBPB\n", NULL,
	  "IBPB must be written at each kernel entry, which Limpet does not do",
	  "use a processor that SRSO does not affect, or accept the risk: "
	  "`spec_rstack_overflow=off`" },
};

#define MITIGATIONS (sizeof(mitigations) / sizeof(*mitigations))

/* One line for each file: rows of the table that have the same name stand together. */
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
		if (strstr(text, mitigations[i].text) ||
		    (mitigations[i].flag && text_has_word(doctor->flags, mitigations[i].flag)))
			doctor_refuse(check, mitigations[i].reason, mitigations[i].remedy);
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
}
