// SPDX-License-Identifier: GPL-2.0
/* Tests each refusal of `limpet doctor`, on a fake machine with one wrong file. */
#include "fake_root.h"

#include <unistd.h>

#include <cli/doctor/checks.h>

#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities/"
#define FLAGS "fpu tsc syscall lm fsgsbase xsave pcid smep smap"

static struct doctor doctor;

static int good_machine(void **state)
{
	(void)state;
	if (root_make())
		return -1;
	put("/proc/cpuinfo",
	    "processor\t: 0\nmodel name\t: Fake\nflags\t\t: " FLAGS "\nbugs\t\t:\n");
	put("/proc/cmdline", "BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet\n");
	put("/proc/sys/kernel/osrelease", "6.1.0-25-amd64\n");
	put("/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
	put("/proc/sys/kernel/sched_rt_period_us", "1000000\n");
	put("/boot/config-6.1.0-25-amd64", "# one\nCONFIG_PREEMPT_NOTIFIERS=y\nCONFIG_KVM=m\n");
	put("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("/sys/module/module/parameters/sig_enforce", "N\n");
	put(VULNERABILITIES "meltdown", "Not affected\n");
	put(VULNERABILITIES "retbleed", "Not affected\n");
	put(VULNERABILITIES "spectre_v2",
	    "Mitigation: Enhanced / Automatic IBRS; IBPB: conditional\n");
	put(VULNERABILITIES "spec_rstack_overflow", "Not affected\n");
	return 0;
}

static enum doctor_state state_of(const char *name)
{
	const struct doctor_check *check;

	doctor_run(&doctor, root, true);
	check = doctor_find(&doctor, name);
	assert_non_null(check);
	if (check->state == DOCTOR_REFUSED) {
		assert_non_null(check->reason);
		assert_non_null(check->remedy);
	}
	return check->state;
}

/* Checks that exactly this check refuses. */
static void assert_only_refusal(const char *name)
{
	assert_int_equal(state_of(name), DOCTOR_REFUSED);
	assert_int_equal(doctor_refusals(&doctor), 1);
}

static void assert_none(void)
{
	doctor_run(&doctor, root, true);
	assert_int_equal(doctor_refusals(&doctor), 0);
}

static void test_good(void **state)
{
	(void)state;
	assert_none();
	assert_int_equal(state_of("preempt-notifiers"), DOCTOR_OK);
}

static void test_no_feature(void **state)
{
	static const char *const names[][2] = {
		{ "x86-64", "tsc syscall fsgsbase xsave" },
		{ "syscall", "tsc lm fsgsbase xsave" },
		{ "fsgsbase", "tsc lm syscall xsave" },
		{ "xsave", "tsc lm syscall fsgsbase xsaveopt" }, /* a longer word differs */
		{ "tsc", "rdtscp lm syscall fsgsbase xsave" },
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(text, sizeof(text), "processor: 0\nflags\t: %s\n", names[i][1]);
		put("/proc/cpuinfo", text);
		assert_only_refusal(names[i][0]);
	}
}

static void test_fred(void **state)
{
	(void)state;
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " fred\n");
	assert_only_refusal("fred");
	put("/proc/cmdline", "quiet fred=off\n");
	assert_none();
}

static void test_guest(void **state)
{
	(void)state;
	put("/sys/hypervisor/type", "xen\n");
	put("/sys/hypervisor/guest_type", "HVM\n");
	assert_none();
	put("/sys/hypervisor/guest_type", "PV\n");
	assert_only_refusal("hypervisor");
	put("/sys/hypervisor/guest_type", "PVH\n");
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " tdx_guest\n");
	assert_only_refusal("hypervisor");
}

static void test_memory_encryption(void **state)
{
	(void)state;
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " sme\n");
	assert_none();
	put("/proc/cmdline", "quiet mem_encrypt=on\n");
	assert_only_refusal("memory-encryption");
}

static void test_release(void **state)
{
	static const char *const bad[] = { "5.10.0-8-amd64", "6.0.1", "7.4.0", "8.1.0", "71.2", "" };
	static const char *const untried[] = { "7.4.0", "7.10.2+deb14-amd64", "8.0.1" };
	static const char *const good[] = { "6.1.0-25-rt-amd64", "6.12.8+deb13-amd64",
					    "7.3.4+deb13-amd64" };
	static const char *const between[] = { "6.2.0", "6.8.0-60-generic", "6.13.0", "7.2.1" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		put("/proc/sys/kernel/osrelease", bad[i]);
		assert_only_refusal("kernel");
	}
	for (size_t i = 0; i < sizeof(untried) / sizeof(*untried); i++) {
		put("/proc/sys/kernel/osrelease", untried[i]);
		assert_only_refusal("kernel");
		assert_true(doctor_find(&doctor, "kernel")->untried);
		assert_non_null(strstr(doctor_find(&doctor, "kernel")->remedy, "--untried"));
	}
	put("/proc/sys/kernel/osrelease", "6.0.1");
	assert_only_refusal("kernel");
	assert_false(doctor_find(&doctor, "kernel")->untried);
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		put("/proc/sys/kernel/osrelease", good[i]);
		assert_none();
		assert_int_equal(state_of("kernel"), DOCTOR_OK);
		assert_int_equal(state_of("preempt-notifiers"), DOCTOR_UNKNOWN);
	}
	for (size_t i = 0; i < sizeof(between) / sizeof(*between); i++) {
		put("/proc/sys/kernel/osrelease", between[i]);
		assert_none();
		assert_int_equal(state_of("kernel"), DOCTOR_NOTE);
	}
}

static void test_preempt_notifiers(void **state)
{
	(void)state;
	put("/boot/config-6.1.0-25-amd64", "# CONFIG_PREEMPT_NOTIFIERS is not set\n");
	assert_only_refusal("preempt-notifiers");
	put("/boot/config-6.1.0-25-amd64", "");
	put("/usr/lib/modules/6.1.0-25-amd64/config", "CONFIG_PREEMPT_NOTIFIERS=y\n");
	assert_int_equal(state_of("preempt-notifiers"), DOCTOR_OK);
	put("/usr/lib/modules/6.1.0-25-amd64/config", "");
	put("/proc/kallsyms", "0 T preempt_notifier_registers\n");
	assert_only_refusal("preempt-notifiers");
	put("/proc/kallsyms", "0 T a\n0 T preempt_notifier_register\t[x]\n");
	assert_none();
}

static void test_compressed_config(void **state)
{
	char command[256];

	(void)state;
	put("/proc/config", "CONFIG_X=y\n");
	snprintf(command, sizeof(command), "gzip '%s/proc/config'", root);
	assert_int_equal(system(command), 0);
	assert_only_refusal("preempt-notifiers");
}

static void test_lockdown(void **state)
{
	(void)state;
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " svm npt\n");
	assert_int_equal(state_of("beneath"), DOCTOR_OK);
	put("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	assert_none();
	assert_int_equal(state_of("lockdown"), DOCTOR_OK);
	assert_int_equal(state_of("beneath"), DOCTOR_NOTE);
	put("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	assert_none();
	assert_int_equal(state_of("beneath"), DOCTOR_NOTE);
}

/* Runs the check of signatures with a module's file. `path` is NULL for a missing one. */
static enum doctor_state signature_of(const char *path)
{
	char file[256];

	doctor_run(&doctor, root, false);
	snprintf(file, sizeof(file), "%s%s", root, path ? path : "");
	doctor_module(&doctor, path ? file : NULL);
	return doctor_find(&doctor, "module-signature")->state;
}

static void test_signature(void **state)
{
	(void)state;
	put("/signed.ko", "\177ELF, code and a signature~Module signature appended~\n");
	put("/unsigned.ko", "\177ELF ~Module signature appended~\n and more");
	put("/short.ko", "appended~\n");
	assert_int_equal(signature_of("/unsigned.ko"), DOCTOR_OK);
	for (int i = 0; i < 2; i++) {
		put("/sys/kernel/security/lockdown",
		    i ? "none [integrity]\n" : "[none] integrity\n");
		put("/sys/module/module/parameters/sig_enforce", i ? "N\n" : "Y\n");
		assert_int_equal(signature_of(NULL), DOCTOR_UNKNOWN);
		assert_int_equal(signature_of("/missing.ko"), DOCTOR_UNKNOWN);
		assert_int_equal(signature_of("/unsigned.ko"), DOCTOR_REFUSED);
		assert_int_equal(signature_of("/short.ko"), DOCTOR_REFUSED);
		assert_int_equal(signature_of("/signed.ko"), DOCTOR_OK);
		assert_int_equal(doctor_refusals(&doctor), 0);
	}
}

static void test_modules_disabled(void **state)
{
	(void)state;
	put("/proc/sys/kernel/modules_disabled", "1\n");
	assert_only_refusal("module-loading");
}

static void test_page_table_isolation(void **state)
{
	(void)state;
	put(VULNERABILITIES "meltdown", "Mitigation: PTI\n");
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " pti\n");
	assert_none();
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " la57\n");
	assert_none();
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " pti la57\n");
	assert_only_refusal("page-table-isolation");
}

static void test_mitigations(void **state)
{
	static const char *const refused[][3] = {
		{ "retbleed", "retbleed", "Mitigation: IBRS\n" },
		{ "spectre-v2", "spectre_v2", "Mitigation: IBRS, IBPB: conditional, STIBP: off\n" },
	};
	static const char *const taken[][2] = {
		{ "retbleed", "Vulnerable\n" },
		{ "retbleed", "Mitigation: untrained return thunk; SMT enabled with STIBP" },
		{ "retbleed", "Mitigation: IBPB\n" },
		{ "retbleed", "Mitigation: Enhanced IBRS\n" },
		{ "spec_rstack_overflow", "Mitigation: Safe RET\n" },
		{ "spec_rstack_overflow", "Mitigation: safe RET, no microcode\n" },
		{ "spec_rstack_overflow", "Vulnerable: Safe RET, no microcode\n" },
		{ "spec_rstack_overflow", "Mitigation: IBPB\n" },
		{ "spec_rstack_overflow", "Mitigation: IBPB on VMEXIT only\n" },
		{ "spec_rstack_overflow", "Mitigation: SMT disabled\n" },
		{ "spectre_v2",
		  "Mitigation: Retpolines; IBPB: conditional; IBRS_FW; RSB filling\n" },
	};
	char path[128];

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		snprintf(path, sizeof(path), VULNERABILITIES "%s", refused[i][1]);
		put(path, refused[i][2]);
		assert_only_refusal(refused[i][0]);
		assert_true(doctor_find(&doctor, refused[i][0])->entry);
		put("/proc/cpuinfo",
		    "processor: 0\nflags\t: " FLAGS " pti\n"); /* entries set IBRS */
		assert_none();
		root_remove(state);
		good_machine(state);
	}
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++) {
		snprintf(path, sizeof(path), VULNERABILITIES "%s", taken[i][0]);
		put(path, taken[i][1]);
		assert_none();
	}
}

/* Linux counts calls, also with page-table isolation. */
static void test_counted_calls(void **state)
{
	(void)state;
	put(VULNERABILITIES "retbleed", "Mitigation: Stuffing\n");
	assert_only_refusal("retbleed");
	assert_true(doctor_find(&doctor, "retbleed")->entry);
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " pti\n");
	assert_only_refusal("retbleed");
}

/* The layer does less than the guarded entries of beside mode. */
static void test_beneath_mitigations(void **state)
{
	(void)state;
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " svm npt\n");
	put(VULNERABILITIES "spec_rstack_overflow", "Mitigation: IBPB on VMEXIT only\n");
	assert_int_equal(state_of("beneath"), DOCTOR_NOTE);
	put(VULNERABILITIES "retbleed", "Mitigation: untrained return thunk; SMT disabled\n");
	put(VULNERABILITIES "spec_rstack_overflow", "Mitigation: Safe RET\n");
	assert_int_equal(state_of("beneath"), DOCTOR_OK);
	put(VULNERABILITIES "spec_rstack_overflow", "Mitigation: IBPB\n");
	assert_int_equal(state_of("beneath"), DOCTOR_NOTE);
	assert_none();
}

/* A missing feature of this mode does not affect other modes. */
static void test_beneath(void **state)
{
	static const struct {
		const char *flags;
		enum doctor_state state;
	} machines[] = {
		{ "", DOCTOR_NOTE },
		{ " svm", DOCTOR_NOTE },
		{ " svm npt", DOCTOR_OK },
		{ " svm npt x2apic tsc_deadline_timer", DOCTOR_OK },
	};
	const struct doctor_check *check;
	char text[1024];

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		snprintf(text, sizeof(text), "processor: 0\nflags\t: " FLAGS "%s\n",
			 machines[i].flags);
		put("/proc/cpuinfo", text);
		assert_int_equal(state_of("beneath"), machines[i].state);
		check = doctor_find(&doctor, "beneath");
		assert_int_equal(!check->reason, machines[i].state == DOCTOR_OK);
		assert_int_equal(!check->remedy, machines[i].state == DOCTOR_OK);
		assert_none();
	}
	put("/sys/devices/system/clocksource/clocksource0/available_clocksource",
	    "kvm-clock tsc \n");
	assert_int_equal(state_of("beneath"), DOCTOR_UNKNOWN);
	put("/sys/module/kvm/refcnt", "0\n");
	assert_int_equal(state_of("beneath"), DOCTOR_NOTE);
}

/* Checks whether a limit of beneath mode is noted, on a machine that permits this mode. */
static void assert_limit(const char *name, bool noted)
{
	const struct doctor_check *check;

	assert_int_equal(state_of("beneath"), DOCTOR_OK);
	assert_int_equal(doctor_refusals(&doctor), 0);
	check = doctor_find(&doctor, name);
	assert_int_equal(check != NULL, noted);
	if (noted) {
		assert_int_equal(check->state, DOCTOR_NOTE);
		assert_true(check->reason && check->remedy);
	}
}

static void test_beneath_watchdog(void **state)
{
	(void)state;
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " svm npt\n");
	assert_limit("beneath-watchdog", false);
	put("/dev/watchdog", "");
	assert_limit("beneath-watchdog", true);
	put("/sys/class/watchdog/watchdog0/state", "inactive\n");
	assert_limit("beneath-watchdog", false);
	put("/sys/class/watchdog/watchdog1/state", "active\n");
	assert_limit("beneath-watchdog", true);
	assert_limit("beneath-nmi-watchdog", false);
	put("/proc/sys/kernel/nmi_watchdog", "0\n");
	assert_limit("beneath-nmi-watchdog", false);
	put("/proc/sys/kernel/nmi_watchdog", "1\n");
	assert_limit("beneath-nmi-watchdog", true);
}

static void test_beneath_idle(void **state)
{
	static const char driver[] = "/sys/devices/system/cpu/cpuidle/current_driver";

	(void)state;
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " svm npt\n");
	assert_limit("beneath-idle", false);
	put(driver, "none\n");
	assert_limit("beneath-idle", false);
	put(driver, "haltpoll\n");
	assert_limit("beneath-idle", false);
	put(driver, "acpi_idle\n");
	assert_limit("beneath-idle", true);
	assert_string_equal(doctor_find(&doctor, "beneath-idle")->found, "acpi_idle");
}

static void test_beneath_iommu(void **state)
{
	char path[256];

	(void)state;
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " svm npt\n");
	assert_limit("beneath-iommu", false);
	put("/sys/class/iommu/ivhd0/devices", "");
	assert_limit("beneath-iommu", true);
	snprintf(path, sizeof(path), "%s/sys/class/iommu/ivhd0/devices", root);
	assert_int_equal(unlink(path), 0);
	*strrchr(path, '/') = 0;
	assert_int_equal(rmdir(path), 0);
	assert_limit("beneath-iommu", false);
}

/* The limits of this mode are not printed if the processor does not have it. */
static void test_beneath_limits(void **state)
{
	(void)state;
	put("/proc/sys/kernel/nmi_watchdog", "1\n");
	assert_int_equal(state_of("beneath"), DOCTOR_NOTE);
	assert_null(doctor_find(&doctor, "beneath-nmi-watchdog"));
	assert_null(doctor_find(&doctor, "beneath-init"));
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " svm npt\n");
	assert_limit("beneath-init", true);
	assert_limit("beneath-nmi-watchdog", true);
	put("/sys/module/kvm/refcnt", "0\n");
	assert_int_equal(state_of("beneath"), DOCTOR_NOTE);
	assert_non_null(doctor_find(&doctor, "beneath-init"));
}

/* KVM for Intel is dangerous before 6.12. It is refused only if it is loaded and cannot be used. */
static void test_kvm(void **state)
{
	(void)state;
	put("/sys/module/kvm/refcnt", "0\n");
	assert_int_equal(state_of("kvm"), DOCTOR_OK);
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " vmx\n");
	assert_int_equal(state_of("kvm"), DOCTOR_NOTE);
	put("/proc/sys/kernel/osrelease", "6.12.1-amd64\n");
	assert_int_equal(state_of("kvm"), DOCTOR_OK);
	put("/proc/sys/kernel/osrelease", "6.1.0-25-amd64\n");
	put("/dev/kvm", "");
	assert_int_equal(state_of("kvm"), DOCTOR_OK);
	root_remove(state);
	good_machine(state);
	put("/proc/cpuinfo", "processor: 0\nflags\t: " FLAGS " vmx\n");
	assert_int_equal(state_of("kvm"), DOCTOR_NOTE);
	assert_none();
}

/* An empty root, as in an empty container, causes refusals and no crash. */
static void test_empty_root(void **state)
{
	root_remove(state);
	doctor_run(&doctor, root, true);
	assert_true(doctor_refusals(&doctor) > 0);
}

static const char *found(const char *name)
{
	doctor_run(&doctor, root, true);
	return doctor_find(&doctor, name)->found;
}

#define FAIR_SERVER "/sys/kernel/debug/sched/fair_server/"

/* Uses the CPU with the largest value. An unreadable value does not count as off. */
static void test_fair_server(void **state)
{
	(void)state;
	assert_string_equal(found("fair-server"), "off"); /* 6.1 has no fair server */
	put("/proc/sys/kernel/osrelease", "6.12.1-amd64\n");
	assert_non_null(strstr(found("fair-server"), "not visible"));
	put(FAIR_SERVER "cpu0/runtime", "50000000\n");
	put(FAIR_SERVER "cpu0/period", "0\n");
	assert_non_null(strstr(found("fair-server"), "not visible"));
	put(FAIR_SERVER "cpu0/period", "1000000000\n");
	assert_string_equal(found("fair-server"), "on: run with --linux-share above 50");
	put(FAIR_SERVER "cpu0/runtime", "0\n");
	assert_string_equal(found("fair-server"), "off");
	put(FAIR_SERVER "cpu1/runtime", "70100000\n");
	put(FAIR_SERVER "cpu1/period", "1000000000\n");
	assert_string_equal(found("fair-server"), "on: run with --linux-share above 71");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, good_machine, root_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_good),
		TEST(test_no_feature),
		TEST(test_fred),
		TEST(test_guest),
		TEST(test_beneath),
		TEST(test_beneath_watchdog),
		TEST(test_beneath_idle),
		TEST(test_beneath_iommu),
		TEST(test_beneath_limits),
		TEST(test_kvm),
		TEST(test_memory_encryption),
		TEST(test_release),
		TEST(test_preempt_notifiers),
		TEST(test_compressed_config),
		TEST(test_lockdown),
		TEST(test_signature),
		TEST(test_modules_disabled),
		TEST(test_page_table_isolation),
		TEST(test_mitigations),
		TEST(test_counted_calls),
		TEST(test_beneath_mitigations),
		TEST(test_empty_root),
		TEST(test_fair_server),
	};

	return cmocka_run_group_tests_name("doctor", tests, NULL, NULL);
}
