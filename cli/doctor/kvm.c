// SPDX-License-Identifier: GPL-2.0
/*
 * Checks whether KVM for Intel could store Limpet's entry points as Linux's in beside mode (host/linux/kvm.c). The
 * module decides when a system is loaded, because only the module can create the virtual machine.
 */
#include <stdio.h>

#include <cli/common/text.h>

#include "checks.h"

/* Returns whether KVM reads Linux's entry points in an interrupt. From 6.12 on, it reads them in a thread. */
static bool reads_in_interrupt(const char *release)
{
	unsigned int major = 0, minor = 0;

	return sscanf(release, "%u.%u", &major, &minor) != 2 || major < 6 ||
	       (major == 6 && minor < 12);
}

static bool is_danger(const struct doctor *doctor)
{
	return text_has_word(doctor->flags, "vmx") && reads_in_interrupt(doctor->release);
}

void doctor_kvm(struct doctor *doctor)
{
	if (!is_danger(doctor))
		doctor_add(doctor, "kvm", DOCTOR_OK, "no conflict");
	else if (!text_exists(doctor->root, "/sys/module/kvm"))
		doctor_add(
			doctor, "kvm", DOCTOR_NOTE,
			"not loaded; kvm_intel does not load while a system with executives runs in beside mode");
	else if (text_exists(doctor->root, "/dev/kvm"))
		doctor_add(
			doctor, "kvm", DOCTOR_OK,
			"loaded; a system with executives holds a virtual machine while it runs in beside mode");
	else
		doctor_add(
			doctor, "kvm", DOCTOR_NOTE,
			"loaded, without /dev/kvm; systems with executives are refused: unload kvm_intel and kvm, "
			"or create /dev/kvm");
}
