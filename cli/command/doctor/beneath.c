// SPDX-License-Identifier: GPL-2.0
/*
 * Checks whether the machine also supports beneath mode. The result does not affect beside mode.
 * Only the module can check the firmware's settings, and whether AMD-V is in use.
 */
#include <stdio.h>
#include <string.h>

#include <cli/common/text.h>

#include "checks.h"

static void found(struct doctor *doctor, enum doctor_state state, const char *what,
		  const char *reason, const char *remedy)
{
	struct doctor_check *check = doctor_add(doctor, "beneath", state, "%s", what);

	check->reason = reason;
	check->remedy = remedy;
}

#define CLOCKS "/sys/devices/system/clocksource/clocksource0/available_clocksource"

/* Returns whether Linux flushes the branch predictor at each entry. */
static bool entries_flush(const struct doctor *doctor)
{
	static const char *const files[] = { "retbleed", "spec_rstack_overflow" };
	char path[128], text[DOCTOR_TEXT];

	for (unsigned int i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/vulnerabilities/%s",
			 files[i]);
		if (text_read(doctor->root, path, text, sizeof(text)) &&
		    strstr(text, "Mitigation: IBPB") && !strstr(text, "on VMEXIT only"))
			return true;
	}
	return false;
}

void doctor_beneath(struct doctor *doctor)
{
	char clocks[DOCTOR_TEXT];

	text_read(doctor->root, CLOCKS, clocks, sizeof(clocks));
	if (!text_has_word(doctor->flags, "svm") || !text_has_word(doctor->flags, "npt"))
		found(doctor, DOCTOR_NOTE, "not possible",
		      "The layer needs AMD-V with nested paging, which is absent or disabled.",
		      "Attach in beside mode. On an AMD processor, you can enable SVM in the firmware instead.");
	else if (entries_flush(doctor))
		found(doctor, DOCTOR_NOTE, "not possible now",
		      "Linux flushes the branch predictor at each entry, but the layer does not do this.",
		      "Attach in beside mode, or boot without `retbleed=ibpb` and `spec_rstack_overflow=ibpb`.");
	else if (text_exists(doctor->root, "/sys/module/kvm"))
		found(doctor, DOCTOR_NOTE, "not possible now",
		      "KVM is loaded, which uses the processor's AMD-V.",
		      "Unload KVM with `modprobe -r kvm_amd kvm`.");
	else if (text_has_word(clocks, "kvm-clock"))
		found(doctor, DOCTOR_UNKNOWN, "possible unless Linux calls KVM",
		      "Linux is a guest of KVM. The module refuses if Linux may use KVM's calls for interrupts.",
		      "Start the guest with `-cpu host,kvm=off`.");
	else
		found(doctor, DOCTOR_OK, "possible", NULL, NULL);
}
