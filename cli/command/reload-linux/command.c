// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/restart/plan.h>
#include <client/device.h>

struct reload {
	struct plan_source source;
	bool force;
};

static bool parse(struct reload *reload, const struct command *command, int argc, char **argv,
		  int *code)
{
	const struct command_option options[] = {
		OPTION_TEXT("append", &reload->source.append),
		OPTION_FLAG("force", &reload->force),
		OPTION_END,
	};
	const struct command_arguments arguments = { 0, 2, "KERNEL INITRD" };

	if (!options_take(command, argc, argv, options, arguments, code))
		return false;
	if (argc - optind == 1 || (reload->source.append && argc == optind)) {
		*code = report_usage(command,
				     "KERNEL and INITRD need each other, and --append needs both.");
		return false;
	}
	if (argc > optind) {
		reload->source.kernel = argv[optind];
		reload->source.initrd = argv[optind + 1];
	}
	return true;
}

/* Checks that another Linux can be started. First stores new files, if there are any. */
static int prepare(int fd, const struct reload *reload)
{
	struct limpet_ioc_info info;
	int error = limpet_info(fd, &info);

	if (error)
		return report("%s: %s", LIMPET_DEVICE, strerror(-error));
	if (info.mode != LIMPET_MODE_BENEATH)
		return report(
			"Limpet is attached in beside mode, but only beneath mode can restart Linux. Run `limpet "
			"detach`, then `limpet attach --beneath --kernel FILE --initrd FILE`.");
	if (!info.room)
		return report(
			"There is no memory for another Linux. Run `limpet detach`, then `limpet attach "
			"--beneath --kernel FILE --initrd FILE`.");
	if (reload->source.kernel)
		return plan_keep(fd, &info, &reload->source);
	if (info.kept == LIMPET_KEPT_PART)
		return report("No other Linux is stored. Give KERNEL and INITRD.");
	return COMMAND_OK;
}

/*
 * Runs the command `reboot`, so that services stop first. Returns COMMAND_OK if the reboot has
 * started.
 */
static int reboot_orderly(void)
{
	char *const words[] = { "reboot", NULL };
	int status = 0;
	pid_t pid;
	int error = posix_spawnp(&pid, *words, NULL, NULL, words, environ);

	if (error)
		return report("The command reboot failed: %s", strerror(error));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return COMMAND_OK;
	return report(
		"The command reboot failed, and this Linux keeps running. Use --force to skip that "
		"command.");
}

static int reboot_now(bool force)
{
	fflush(stdout);
	sync();
	if (!force)
		return reboot_orderly();
	reboot(RB_AUTOBOOT);
	return report("reboot: %s", strerror(errno));
}

static int reload_main(const struct command *command, int argc, char **argv)
{
	struct reload reload = { 0 };
	int code, fd;

	if (!parse(&reload, command, argc, argv, &code))
		return code;
	fd = limpet_open();
	if (fd < 0)
		return report_no_device(fd);
	code = prepare(fd, &reload);
	if (!code && ioctl(fd, LIMPET_IOC_KEPT, LIMPET_KEPT_RELOAD))
		code = report("The module cannot restart Linux: %s", strerror(errno));
	if (!code) {
		printf("Linux ends and another Linux starts; components keep running\n");
		code = reboot_now(reload.force);
		if (code)
			ioctl(fd, LIMPET_IOC_KEPT, LIMPET_KEPT_WHOLE);
	}
	close(fd);
	return code;
}

const struct command reload_linux_command = {
	.name = "reload-linux",
	.summary = "ends this Linux and starts another one, in beneath mode",
	.arguments = "[--force] [KERNEL INITRD [--append TEXT]]",
	.help = "\n"
		"Without files the command starts the Linux that was stored at attach. This Linux ends as\n"
		"before a reboot.\n\n"
		"  --append TEXT  text to append to this Linux's command line\n"
		"  --force        restart immediately: write buffers to disks, stop no service\n",
	.run = reload_main,
};
