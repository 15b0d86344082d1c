// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <unistd.h>

#include <cli/command/stop/stop.h>
#include <cli/common/command.h>
#include <cli/common/module.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/system.h>
#include <client/device.h>

static int refuse(int fd, void *unused)
{
	struct limpet_ioc_info info;
	char whose[32] = "";

	(void)unused;
	if (limpet_info(fd, &info))
		return COMMAND_OK; /* the system has ended meanwhile */
	if (info.mode == LIMPET_MODE_BESIDE)
		snprintf(whose, sizeof(whose), " (host process %d)", info.host_pid);
	return report("A system is %s%s. Run `limpet stop` first, or `limpet detach --stop`.",
		      limpet_state_words(info.state), whose);
}

/* Without access to the module's device, Linux refuses to unload a module that is in use. */
static int end_systems(bool stop)
{
	const struct stop_times times = STOP_TIMES;
	int code;

	if (stop)
		return stop_all(&times);
	code = systems_each(refuse, NULL);
	return code < 0 ? COMMAND_OK : code;
}

/* Returns whether Linux is restarted by reload-linux. Without access to the device it is not. */
static bool is_reloaded(void)
{
	int fd = limpet_open();
	bool reloaded = fd >= 0 && linux_is_reloaded(fd);

	if (fd >= 0)
		close(fd);
	return reloaded;
}

static int detach_main(const struct command *command, int argc, char **argv)
{
	bool stop = false, force = false, unless_reload = false;
	const struct command_option options[] = {
		OPTION_FLAG("stop", &stop),
		OPTION_FLAG("force", &force),
		OPTION_FLAG("unless-reload", &unless_reload),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	if (!module_is_loaded()) {
		printf("Limpet is not attached.\n"); /* not an error, as with `systemctl stop` */
		return COMMAND_OK;
	}
	if (unless_reload && is_reloaded()) {
		printf("Limpet is not detached, because `limpet reload-linux` restarts Linux. Systems "
		       "continue.\n");
		return COMMAND_OK;
	}
	code = end_systems(stop);
	if (code)
		return code;
	code = module_unload("", force);
	if (!code)
		printf("detached\n");
	return code;
}

const struct command detach_command = {
	.name = "detach",
	.summary = "detaches Limpet and restores Linux's state",
	.arguments = "[--stop] [--force] [--unless-reload]",
	.help = "\n"
		"The command is refused while a system runs, and while a process has a channel open.\nIf Limpet is not "
		"attached, the command prints that and exits with 0.\n\n"
		"  --stop           stop all systems first\n"
		"  --force          kill the processes that have a channel open, and list them\n"
		"  --unless-reload  do nothing while `limpet reload-linux` restarts Linux\n",
	.run = detach_main,
};
