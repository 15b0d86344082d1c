// SPDX-License-Identifier: GPL-2.0
/*
 * Whether the machine can also take the layer beneath Linux. Never in the way of attaching beside; the
 * module has the last word on what only it can read: firmware's switches, and who uses AMD-V.
 */
#include <cli/text.h>

#include "doctor.h"

static void found(struct doctor *doctor, enum doctor_state state, const char *what,
		  const char *reason, const char *remedy)
{
	struct doctor_check *check = doctor_add(doctor, "beneath", state, "%s", what);

	check->reason = reason;
	check->remedy = remedy;
}

void doctor_beneath(struct doctor *doctor)
{
	if (!text_has_word(doctor->flags, "svm") || !text_has_word(doctor->flags, "npt"))
		found(doctor, DOCTOR_NOTE, "not possible",
		      "the layer beneath needs AMD-V with nested paging, which is absent or off",
		      "attach beside; or, on an AMD processor, switch SVM on in the firmware");
	else if (text_exists(doctor->root, "/sys/module/kvm"))
		found(doctor, DOCTOR_NOTE, "not possible now",
		      "KVM is loaded, which has the processor's AMD-V for itself",
		      "unload it before: `modprobe -r kvm_amd kvm`");
	else if (text_has_word(doctor->flags, "tsc_deadline_timer"))
		found(doctor, DOCTOR_NOTE, "not possible",
		      "Linux uses the TSC-deadline timer, which the layer beneath does not have",
		      "attach beside, or boot with `lapic=notscdeadline`");
	else if (text_has_word(doctor->flags, "x2apic") &&
		 !text_has_word(doctor->command_line, "nox2apic"))
		found(doctor, DOCTOR_UNKNOWN, "possible unless Linux uses x2APIC",
		      "the layer beneath does not have x2APIC; the module refuses if it is in use",
		      "boot with `nox2apic` if it refuses");
	else
		found(doctor, DOCTOR_OK, "possible", NULL, NULL);
}
