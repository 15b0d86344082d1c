// SPDX-License-Identifier: GPL-2.0
/* Checks settings that forbid loading the module for all users. */
#include <string.h>

#include <cli/common/text.h>

#include "checks.h"

static void check_lockdown(struct doctor *doctor)
{
	struct doctor_check *check;
	char text[DOCTOR_TEXT];

	if (!text_read(doctor->root, "/sys/kernel/security/lockdown", text, sizeof(text))) {
		doctor_add(doctor, "lockdown", DOCTOR_UNKNOWN,
			   "no lockdown in this kernel, or securityfs is not mounted");
		return;
	}
	check = doctor_add(doctor, "lockdown", DOCTOR_OK, "%s", text);
	if (!strstr(text, "[none]"))
		doctor_refuse(check, "Kernel lockdown is active, so the kernel cannot be changed.",
			      "Disable Secure Boot in the firmware, or boot without `lockdown=`.");
}

static void check_signature(struct doctor *doctor)
{
	struct doctor_check *check;
	char text[8];

	text_read(doctor->root, "/sys/module/module/parameters/sig_enforce", text, sizeof(text));
	check = doctor_add(doctor, "module-signature", DOCTOR_OK,
			   *text == 'Y' ? "enforced" : "not enforced");
	if (*text == 'Y')
		doctor_refuse(
			check, "The kernel loads only signed modules.",
			"Sign limpet.ko with a key that the kernel trusts, and attach with --force-check "
			"module-signature. You can also boot without `module.sig_enforce`.");
}

static void check_modules_disabled(struct doctor *doctor)
{
	struct doctor_check *check;
	long disabled = 0;

	text_read_number(doctor->root, "/proc/sys/kernel/modules_disabled", &disabled);
	check = doctor_add(doctor, "module-loading", DOCTOR_OK, disabled ? "disabled" : "enabled");
	if (disabled)
		doctor_refuse(check, "kernel.modules_disabled is set, so modules cannot be loaded.",
			      "Do not set it at boot. It can be reset only by a reboot.");
}

void doctor_security(struct doctor *doctor)
{
	check_lockdown(doctor);
	check_signature(doctor);
	check_modules_disabled(doctor);
}
