// SPDX-License-Identifier: GPL-2.0
/* Checks settings that forbid loading the module for all users. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli/common/module_file.h>
#include <cli/common/text.h>

#include "checks.h"

#define LOCKDOWN "/sys/kernel/security/lockdown"
/* The last bytes of a signed module's file. */
#define SIGNED "~Module signature appended~\n"

bool doctor_locked(const struct doctor *doctor)
{
	char text[DOCTOR_TEXT];

	return text_read(doctor->root, LOCKDOWN, text, sizeof(text)) && !strstr(text, "[none]");
}

static void check_lockdown(struct doctor *doctor)
{
	char text[DOCTOR_TEXT];

	if (text_read(doctor->root, LOCKDOWN, text, sizeof(text)))
		doctor_add(doctor, "lockdown", DOCTOR_OK, "%s", text);
	else
		doctor_add(doctor, "lockdown", DOCTOR_UNKNOWN,
			   "no lockdown in this kernel, or securityfs is not mounted");
}

static void check_signature(struct doctor *doctor)
{
	char text[8];
	const bool enforced = (text_read(doctor->root, "/sys/module/module/parameters/sig_enforce",
					 text, sizeof(text)) &&
			       *text == 'Y') ||
			      doctor_locked(doctor);

	if (enforced)
		doctor_add(doctor, "module-signature", DOCTOR_UNKNOWN, "enforced")->reason =
			"limpet.ko was not found, so its signature cannot be checked.";
	else
		doctor_add(doctor, "module-signature", DOCTOR_OK, "not enforced");
}

/* Returns whether these bytes of a module's file end with a signature. */
static bool is_signed(const char *bytes, size_t size)
{
	const size_t length = strlen(SIGNED);

	return size >= length && !memcmp(bytes + size - length, SIGNED, length);
}

void doctor_module(struct doctor *doctor, const char *path)
{
	struct doctor_check *check = doctor_find_own(doctor, "module-signature");
	size_t size;
	char *bytes;

	if (check->state == DOCTOR_OK || !path)
		return;
	bytes = file_read(path, &size);
	if (!bytes)
		return;
	if (is_signed(bytes, size)) {
		check->state = DOCTOR_OK;
		check->reason = NULL;
		snprintf(check->found, sizeof(check->found), "enforced, and %s is signed", path);
	} else {
		snprintf(check->found, sizeof(check->found), "enforced, but %s is not signed",
			 path);
		doctor_refuse(
			check, "The kernel loads only modules that are signed with a trusted key.",
			"Install limpet-dkms, which signs its modules, and enrol its key: see limpet-attach(1). "
			"You can also disable Secure Boot, or boot without `module.sig_enforce` and `lockdown=`.");
	}
	free(bytes);
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
