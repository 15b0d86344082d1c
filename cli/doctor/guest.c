// SPDX-License-Identifier: GPL-2.0
/* Ways for Linux to be a guest, or to use memory, in which Limpet cannot hook its entries. */
#include <string.h>

#include <cli/common/text.h>

#include "checks.h"

static void check_xen(struct doctor *doctor)
{
	struct doctor_check *check;
	char type[DOCTOR_TEXT];
	char guest[DOCTOR_TEXT];

	text_read(doctor->root, "/sys/hypervisor/type", type, sizeof(type));
	text_read(doctor->root, "/sys/hypervisor/guest_type", guest, sizeof(guest));
	check = doctor_add(doctor, "hypervisor", DOCTOR_OK, "%.100s%s%.100s", *type ? type : "none",
			   *guest ? " " : "", guest);
	if (!strcmp(type, "xen") && !strcmp(guest, "PV"))
		doctor_refuse(check, "Linux runs as a Xen PV guest, so its entries belong to Xen.",
			      "Run Linux without Xen, or as an HVM or PVH guest.");
	else if (text_has_word(doctor->flags, "tdx_guest"))
		doctor_refuse(check, "Linux runs as a TDX guest.",
			      "Run Linux without a hypervisor, or as an ordinary guest.");
}

/*
 * Encryption is visible only on the command line. If it is the kernel's default, the module refuses
 * instead.
 */
static void check_memory_encryption(struct doctor *doctor)
{
	bool active = text_has_word(doctor->flags, "sme") &&
		      text_has_word(doctor->command_line, "mem_encrypt=on");
	struct doctor_check *check;

	check = doctor_add(doctor, "memory-encryption", DOCTOR_OK,
			   active ? "active" : "not requested");
	if (active)
		doctor_refuse(
			check,
			"Memory encryption is active, and Limpet's page tables do not set its bit.",
			"Boot with `mem_encrypt=off`.");
}

void doctor_guest(struct doctor *doctor)
{
	check_xen(doctor);
	check_memory_encryption(doctor);
}
