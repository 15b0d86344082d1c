// SPDX-License-Identifier: GPL-2.0
/* Checks the running Linux kernel and its configuration. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/text.h>
#include <shared/module/expects.h>

#include "checks.h"

#define RELEASE(major, minor) ((major) * 1000 + (minor))

/* The tests run on 6.1, 6.12 and 7.3. host/linux/compat.h also supports the releases between them. */
static void check_release(struct doctor *doctor)
{
	struct doctor_check *check = doctor_add(doctor, "kernel", DOCTOR_OK, "%s", doctor->release);
	unsigned int major = 0, minor = 0;
	int fields = sscanf(doctor->release, "%u.%u", &major, &minor);
	unsigned int release = fields == 2 && minor < 1000 ? RELEASE(major, minor) : 0;

	if (release < RELEASE(6, 1)) {
		doctor_refuse(check, "This kernel release is not supported.",
			      "Boot " DOCTOR_KERNELS ".");
	} else if (release >= RELEASE(LIMPET_UNTRIED_MAJOR, LIMPET_UNTRIED_MINOR)) {
		doctor_refuse(check, "This kernel is newer than any that Limpet was tried on.",
			      "Boot " DOCTOR_KERNELS
			      ". Or attach with --untried, which first compares "
			      "the symbols, entries and structures that Limpet relies on.");
		check->untried = true;
	} else if (release != RELEASE(6, 1) && release != RELEASE(6, 12) &&
		   release != RELEASE(7, 3)) {
		check->state = DOCTOR_NOTE;
		check->reason = "Limpet is tested on 6.1, 6.12 and 7.3, but not on this release.";
	}
}

enum answer { NO, YES, NOT_KNOWN };

/* A configuration has a line for each option that could be set, so a missing one means no. */
static enum answer find_in_lines(FILE *config)
{
	enum answer answer = NOT_KNOWN;
	char line[512];

	while (fgets(line, sizeof(line), config)) {
		if (answer == NOT_KNOWN)
			answer = NO;
		if (!strcmp(line, "CONFIG_PREEMPT_NOTIFIERS=y\n"))
			answer = YES;
	}
	return answer;
}

/* Reads the file through zcat, so that this program needs no decompression code. */
static enum answer find_in_compressed(const char *path)
{
	enum answer answer = NOT_KNOWN;
	char command[1100];
	FILE *config;

	if (access(path, R_OK) || strchr(path, '\''))
		return NOT_KNOWN;
	snprintf(command, sizeof(command), "zcat '%s' 2>/dev/null", path);
	config = popen(command, "r");
	if (config) {
		answer = find_in_lines(config);
		pclose(config);
	}
	return answer;
}

static enum answer find_in_file(const char *path)
{
	enum answer answer = NOT_KNOWN;
	FILE *config = fopen(path, "re");

	if (config) {
		answer = find_in_lines(config);
		fclose(config);
	}
	return answer;
}

static enum answer find_in_config(const struct doctor *doctor)
{
	enum answer answer;
	char path[1024];

	snprintf(path, sizeof(path), "%s/proc/config.gz", doctor->root);
	answer = find_in_compressed(path);
	if (answer == NOT_KNOWN) {
		snprintf(path, sizeof(path), "%s/boot/config-%.200s", doctor->root,
			 doctor->release);
		answer = find_in_file(path);
	}
	if (answer == NOT_KNOWN) { /* where Debian has it since 7.0 */
		snprintf(path, sizeof(path), "%s/usr/lib/modules/%.200s/config", doctor->root,
			 doctor->release);
		answer = find_in_file(path);
	}
	return answer;
}

/* Reads the whole list of symbols. This is slow, because Linux generates about ten megabytes of text. */
static enum answer find_in_symbols(const struct doctor *doctor)
{
	enum answer answer = NOT_KNOWN;
	char line[512];
	FILE *symbols;

	snprintf(line, sizeof(line), "%s/proc/kallsyms", doctor->root);
	symbols = fopen(line, "re");
	if (!symbols)
		return NOT_KNOWN;
	while (answer != YES && fgets(line, sizeof(line), symbols)) {
		answer = NO;
		if (text_has_word(line, "preempt_notifier_register"))
			answer = YES;
	}
	fclose(symbols);
	return answer;
}

static void check_preempt_notifiers(struct doctor *doctor)
{
	enum answer answer = find_in_config(doctor);
	struct doctor_check *check;

	if (answer == NOT_KNOWN && doctor->thorough)
		answer = find_in_symbols(doctor);
	check = doctor_add(doctor, "preempt-notifiers", answer == YES ? DOCTOR_OK : DOCTOR_UNKNOWN,
			   answer == YES  ? "built in"
			   : answer == NO ? "not built in"
					  : "unknown");
	if (answer == NO)
		doctor_refuse(check, "The kernel was built without CONFIG_PREEMPT_NOTIFIERS.",
			      "Boot a stock Debian kernel, or build your kernel with KVM enabled.");
	if (answer == NOT_KNOWN)
		check->reason =
			"The kernel's configuration cannot be read. The module does not load if preempt "
			"notifiers are missing.";
}

void doctor_kernel(struct doctor *doctor)
{
	check_release(doctor);
	check_preempt_notifiers(doctor);
}
