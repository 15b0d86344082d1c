// SPDX-License-Identifier: GPL-2.0
/*
 * Checks whether the machine also supports beneath mode. The result does not affect beside mode.
 * Only the module can check the firmware's settings, and whether AMD-V is in use.
 */
#include <dirent.h>
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

/* Returns whether Linux flushes the branch predictor at each entry, or exit of a virtual machine. */
static bool linux_flushes(const struct doctor *doctor)
{
	static const char *const files[] = { "retbleed", "spec_rstack_overflow" };
	char path[128], text[DOCTOR_TEXT];

	for (unsigned int i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/vulnerabilities/%s",
			 files[i]);
		if (text_read(doctor->root, path, text, sizeof(text)) &&
		    strstr(text, "Mitigation: IBPB"))
			return true;
	}
	return false;
}

/* Adds a note on something that the layer does not handle. Attach in beneath mode is still possible. */
static void limit(struct doctor *doctor, const char *name, const char *what, const char *reason,
		  const char *remedy)
{
	struct doctor_check *check = doctor_add(doctor, name, DOCTOR_NOTE, "%s", what);

	check->reason = reason;
	check->remedy = remedy;
}

#define WATCHDOGS 8

/* Returns whether a watchdog is active, or exists and has no readable state. */
static bool watchdog_active(const struct doctor *doctor)
{
	char path[128], text[DOCTOR_TEXT];
	bool known = false;

	for (unsigned int i = 0; i < WATCHDOGS; i++) {
		snprintf(path, sizeof(path), "/sys/class/watchdog/watchdog%u/state", i);
		if (!text_read(doctor->root, path, text, sizeof(text)))
			continue;
		if (!strcmp(text, "active"))
			return true;
		known = true;
	}
	return !known && text_exists(doctor->root, "/dev/watchdog");
}

/* Returns whether Linux uses an idle driver with states that are deeper than HLT. */
static bool idles_deeply(const struct doctor *doctor, char *driver, size_t size)
{
	return text_read(doctor->root, "/sys/devices/system/cpu/cpuidle/current_driver", driver,
			 size) &&
	       strcmp(driver, "none") != 0 && strcmp(driver, "haltpoll") != 0;
}

static bool has_iommu(const struct doctor *doctor)
{
	char path[1024];
	bool found = false;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/sys/class/iommu", doctor->root);
	folder = opendir(path);
	if (!folder)
		return false;
	for (struct dirent *entry; !found && (entry = readdir(folder));)
		found = entry->d_name[0] != '.';
	closedir(folder);
	return found;
}

/* Names what the layer does not handle on this machine. CAVEATS.md has all limits. */
static void check_limits(struct doctor *doctor)
{
	char driver[DOCTOR_TEXT];
	long nmi = 0;

	if (watchdog_active(doctor))
		limit(doctor, "beneath-watchdog", "a hardware watchdog may be active",
		      "When Linux has died, the watchdog resets the machine, because the layer does not stop it or write to it.",
		      "Stop the program that keeps /dev/watchdog open, such as systemd with RuntimeWatchdogSec=.");
	text_read_number(doctor->root, "/proc/sys/kernel/nmi_watchdog", &nmi);
	if (nmi)
		limit(doctor, "beneath-nmi-watchdog", "on",
		      "Its NMIs interrupt components, and it reports a lockup if components keep a CPU from Linux for ten seconds.",
		      "Write 0 to /proc/sys/kernel/nmi_watchdog, or boot with `nmi_watchdog=0`.");
	if (idles_deeply(doctor, driver, sizeof(driver)))
		limit(doctor, "beneath-idle", driver,
		      "Linux can put a CPU into a deep idle state. Components then wake up late by the time to leave it.",
		      "Disable the states in /sys/devices/system/cpu/cpu*/cpuidle, or boot with `processor.max_cstate=1`.");
	if (has_iommu(doctor))
		limit(doctor, "beneath-iommu", "in use by Linux",
		      "The layer does not program it, so it does not protect hidden memory, and it can block the devices of components.",
		      "If components have devices, boot with `intremap=off iommu=pt`.");
	limit(doctor, "beneath-init", "not intercepted",
	      "An INIT that a device sends as an interrupt message stops a CPU with its components.",
	      "Reset the machine if a CPU stops, and give devices only to drivers that you trust.");
}

void doctor_beneath(struct doctor *doctor)
{
	char clocks[DOCTOR_TEXT];
	const bool capable = text_has_word(doctor->flags, "svm") &&
			     text_has_word(doctor->flags, "npt");

	text_read(doctor->root, CLOCKS, clocks, sizeof(clocks));
	if (!capable)
		found(doctor, DOCTOR_NOTE, "not possible",
		      "The layer needs AMD-V with nested paging, which is absent or disabled.",
		      "Attach in beside mode. On an AMD processor, you can enable SVM in the firmware instead.");
	else if (doctor_locked(doctor))
		found(doctor, DOCTOR_NOTE, "not possible now",
		      "The kernel is locked down. Beneath mode would bypass this: a component's device can write to all memory by DMA, and the kernel that is started after a crash is not verified.",
		      "Attach in beside mode, or disable Secure Boot in the firmware.");
	else if (linux_flushes(doctor))
		found(doctor, DOCTOR_NOTE, "not possible now",
		      "Linux flushes the branch predictor at each entry or exit of a virtual machine, but the "
		      "layer does not do this.",
		      "Attach in beside mode, or boot without `retbleed=ibpb`, `spec_rstack_overflow=ibpb` and "
		      "`spec_rstack_overflow=ibpb-vmexit`.");
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
	if (capable)
		check_limits(doctor);
}
