// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cli/command/guest/guest.h>
#include <cli/common/module.h>
#include <cli/common/report.h>
#include <cli/common/text.h>

#define BENEATH "/sys/module/" MODULE_NAME "/parameters/beneath"
#define SAME_BUILD "Install module and command from the same build."

static int report_no_file(void)
{
	char beneath[4];

	if (!module_is_loaded())
		return report("%s: Limpet is not attached. Run `limpet attach` first.",
			      LIMPET_GUEST_DEVICE);
	if (text_read("", BENEATH, beneath, sizeof(beneath)) && *beneath == 'Y')
		return report(
			"%s: Limpet is attached in beneath mode, which has no guests. Run `limpet detach`, then "
			"`limpet attach`.",
			LIMPET_GUEST_DEVICE);
	return report("%s: The module has no guests. " SAME_BUILD, LIMPET_GUEST_DEVICE);
}

int guest_report_open(int error)
{
	if (error == -ENOENT || error == -ENXIO || error == -ENODEV)
		return report_no_file();
	if (error == -EACCES || error == -EPERM)
		return report(
			"%s: You have no permission to open this device. Run the command as root, or ask root to "
			"change the permissions.",
			LIMPET_GUEST_DEVICE);
	if (error == -EOPNOTSUPP)
		return report(
			"%s: Guests are not possible while Linux isolates page tables. Use a processor that "
			"Meltdown does not affect, or boot with nopti.",
			LIMPET_GUEST_DEVICE);
	return report("%s: %s", LIMPET_GUEST_DEVICE, strerror(-error));
}

int guest_open(void)
{
	int fd = limpet_guest_open();

	if (fd < 0)
		guest_report_open(fd);
	return fd;
}

/* Prints the errors that all requests have. */
static int report_any(const char *what, int error)
{
	if (error == -ENODEV)
		return report("No system runs. Start one with `limpet run IMAGE`.");
	if (error == -EINVAL || error == -ENOTTY || error == -EPROTO)
		return report("%s: The module has another version. " SAME_BUILD, what);
	return report("%s: %s", what, strerror(-error));
}

static int report_no_executive(const struct guest_plan *plan)
{
	if (plan->executive)
		return report(
			"--executive %s: The component serves no guests. Wait until it has started, or name an "
			"executive.",
			plan->executive);
	return report(
		"The system has no executive that serves guests. Wait until the executive has started, "
		"or run a system that has one.");
}

static int report_no_guest(const struct guest_plan *plan, const char *what, int error)
{
	if (error == -ENOENT)
		return report_no_executive(plan);
	if (error == -ENOTUNIQ && plan->system == LIMPET_SYSTEM_ANY)
		return report(
			"%s: Several systems run, or the system has several executives. Select one with `limpet "
			"--system NAME`, or with --executive NAME.",
			what);
	if (error == -ENOTUNIQ)
		return report(
			"%s: The system has several executives. Select one with --executive NAME.",
			what);
	if (error == -EMFILE)
		return report("%s: %d threads are guests, which is the maximum. End or release "
			      "one of `limpet guest ps`.",
			      what, LIMPET_GUESTS_MAX);
	if (error == -EDQUOT)
		return report(
			"%s: The user has %d guests, which is the maximum except for root. End or release one of "
			"`limpet guest ps`.",
			what, LIMPET_GUESTS_OF_USER);
	return report_any(what, error);
}

int guest_report_enter(const struct guest_plan *plan, int error)
{
	if (error == -EBUSY)
		return report(
			"The caller is a guest already, and its programs are, too. Run the program without "
			"`limpet guest run`.");
	return report_no_guest(plan, "The program cannot become a guest", error);
}

/* Prints the errors of requests for another process. Returns false if it is another error. */
static bool report_pid(pid_t pid, int error)
{
	if (error == -ESRCH)
		report("Process %d does not exist. `ps -e` lists all processes.", pid);
	else if (error == -EPERM && geteuid())
		report("Process %d: The command needs the capability CAP_SYS_PTRACE. Run it as root.",
		       pid);
	else if (error == -EPERM)
		report("Process %d belongs to Linux's kernel, or CAP_SYS_PTRACE is missing. Choose another "
		       "process.",
		       pid);
	else
		return false;
	return true;
}

int guest_report_attach(const struct guest_plan *plan, pid_t pid, int error)
{
	char what[64];

	if (report_pid(pid, error))
		return COMMAND_REFUSED;
	if (error == -EBUSY)
		return report("Process %d is a guest already. Run `limpet guest release %d` first.",
			      pid, pid);
	snprintf(what, sizeof(what), "Process %d cannot become a guest", pid);
	return report_no_guest(plan, what, error);
}

int guest_report_process(const char *what, pid_t pid, int error)
{
	char cannot[64];

	if (report_pid(pid, error))
		return COMMAND_REFUSED;
	if (error == -ENOENT)
		return report("Process %d is not a guest. `limpet guest ps` lists the guests.",
			      pid);
	snprintf(cannot, sizeof(cannot), "Process %d cannot %s", pid, what);
	return report_any(cannot, error);
}

int guest_report_list(int error)
{
	return report_any("The guests cannot be listed", error);
}
