// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <cli/common/text.h>

#include "checks.h"
#include "compare.h"

void doctor_run(struct doctor *doctor, const char *root, bool thorough)
{
	memset(doctor, 0, sizeof(*doctor));
	doctor->root = root;
	doctor->thorough = thorough;
	text_read(root, "/proc/sys/kernel/osrelease", doctor->release, sizeof(doctor->release));
	text_read(root, "/proc/cmdline", doctor->command_line, sizeof(doctor->command_line));
	doctor_processor(doctor);
	doctor_guest(doctor);
	doctor_kernel(doctor);
	doctor_compare_later(doctor);
	doctor_security(doctor);
	doctor_mitigations(doctor);
	doctor_realtime(doctor);
	doctor_kvm(doctor);
	doctor_beneath(doctor);
	doctor_limpet(doctor);
}
