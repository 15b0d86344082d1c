// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cli/command/attach/options.h>
#include <cli/host/host_life.h>
#include <cli/common/image.h>
#include <cli/common/module.h>
#include <cli/common/report.h>
#include <cli/restart/previous.h>
#include <cli/common/snapshot.h>
#include <cli/doctor/checks.h>
#include <cli/doctor/compare.h>
#include <client/device.h>

/* Writes the module's parameters. */
static void parameters_write(const struct attach *attach, unsigned long room, char *text,
			     size_t size)
{
	size_t length = (size_t)snprintf(text, size, "%s", attach->beneath ? "beneath=1" : "");

	if (attach->untried)
		length += (size_t)snprintf(text + length, size - length, " untried=1");
	if (attach->trust)
		length += (size_t)snprintf(text + length, size - length, " trust_components=1");
	if (attach->memory)
		length += (size_t)snprintf(text + length, size - length, " memory=%ld",
					   attach->memory);
	if (attach->heartbeat)
		length += (size_t)snprintf(text + length, size - length, " heartbeat=%ld",
					   attach->heartbeat);
	if (room)
		snprintf(text + length, size - length, " room=%lu", room);
}

/* Returns whether a check that refuses does not matter for this attach. */
static bool is_allowed(const struct attach *attach, const struct doctor_check *check)
{
	if (check->entry && (attach->trust || attach->beneath))
		return true;
	if (check->untried && attach->untried)
		return true;
	for (unsigned int i = 0; i < attach->forced; i++)
		if (!strcmp(attach->force[i], check->name))
			return true;
	return false;
}

static bool force_names_exist(const struct attach *attach, const struct command *command,
			      const struct doctor *doctor, int *code)
{
	for (unsigned int i = 0; i < attach->forced; i++)
		if (!doctor_find(doctor, attach->force[i])) {
			*code = report_usage(command,
					     "--force-check %s: `limpet doctor` has no such check.",
					     attach->force[i]);
			return false;
		}
	return true;
}

/* Reports all checks that refuse, so that the user sees them in one run. */
static int refuse(const struct attach *attach, const struct doctor *doctor)
{
	int code = COMMAND_OK;

	for (unsigned int i = 0; i < doctor->count; i++) {
		const struct doctor_check *check = &doctor->check[i];

		if (check->state == DOCTOR_REFUSED && !is_allowed(attach, check))
			code = report("The check %s refuses: %s. %s %s", check->name, check->found,
				      check->reason, check->remedy);
	}
	return code;
}

/* Starts a process that keeps the log of a system that ran on while Linux was restarted. */
static int system_adopt(void)
{
	static struct snapshot snapshot;
	struct host_plan plan = { 0 };
	int code;

	if (!snapshot_take(&snapshot))
		return COMMAND_REFUSED;
	plan.name = image_system_name(&snapshot.image);
	plan.cpus = snapshot.info.cpus;
	code = host_daemon(&plan);
	snapshot_release(&snapshot);
	return code;
}

/* Passes the files of another Linux to the layer, and prints the result of the attach. */
static int after_attach(const struct attach *attach, const char *release)
{
	struct limpet_ioc_info info;
	int code = COMMAND_OK, fd, error;

	fd = limpet_open();
	if (fd < 0)
		return report_no_device(fd);
	error = limpet_info(fd, &info);
	if (error)
		code = report("%s: %s", LIMPET_DEVICE, strerror(-error));
	else if (attach->again.kernel)
		code = plan_keep(fd, &info, &attach->again);
	if (!code && info.room)
		previous_prepare(fd);
	close(fd);
	if (code)
		return code;
	printf("attached %s Linux %s\n", attach->beneath ? "beneath" : "to", release);
	if (info.restarts)
		printf("Limpet started this Linux. It has started Linux %u time%s. The previous Linux ended "
		       "because %s.\n",
		       info.restarts, info.restarts == 1 ? "" : "s",
		       limpet_death_words(info.death));
	fflush(stdout);
	return info.restarts && info.state == LIMPET_STATE_RUNNING ? system_adopt() : COMMAND_OK;
}

static int attach_main(const struct command *command, int argc, char **argv)
{
	static struct doctor doctor;
	struct attach attach = { 0 };
	char path[PATH_MAX], parameters[128];
	unsigned long room = 0;
	const char *module;
	int code;

	if (!attach_options_take(&attach, command, argc, argv, &code))
		return code;
	if (module_is_loaded())
		return report("Limpet is attached already. Run `limpet detach` first.");
	doctor_run(&doctor, "", false);
	if (attach.config && attach_config_read(&attach, attach.config, "", &doctor) < 0)
		return COMMAND_REFUSED;
	if (attach.module && !module_find(attach.module, path, sizeof(path)))
		return COMMAND_REFUSED;
	if (!force_names_exist(&attach, command, &doctor, &code))
		return code;
	if (attach.untried) {
		if (!module_find(attach.module, path, sizeof(path)))
			return COMMAND_REFUSED;
		doctor_compare(&doctor, path, true);
	}
	module = attach.module;
	if (!module && module_search(path, sizeof(path)))
		module = path;
	doctor_module(&doctor, module);
	code = refuse(&attach, &doctor);
	if (code)
		return code;
	if (!module_find(attach.module, path, sizeof(path)))
		return COMMAND_REFUSED;
	if (attach.again.kernel) {
		room = plan_room(&attach.again);
		if (!room)
			return COMMAND_REFUSED;
	}
	parameters_write(&attach, room, parameters, sizeof(parameters));
	code = module_load(path, parameters);
	if (code)
		return code;
	if (!module_wait_device())
		return COMMAND_REFUSED;
	code = after_attach(&attach, doctor.release);
	if (code)
		module_unload("", false);
	return code;
}

const struct command attach_command = {
	.name = "attach",
	.summary = "attaches Limpet to the running kernel",
	.arguments =
		"[--beneath [--memory MIB] [--heartbeat S] [--kernel FILE --initrd FILE [--append TEXT]]] "
		"[--trust-components] [--untried] [--module FILE] [--force-check NAME]... | --config FILE",
	.help = "\n"
		"Attach is refused where `limpet doctor` refuses, with the reason and the remedy.\n\n"
		"  --beneath           put a layer under Linux, which owns the interrupts and a\n"
		"                      part of the memory; CAVEATS.md lists its limits\n"
		"  --memory MIB        beneath: memory for systems, hidden from Linux, 4 to 4096 (64)\n"
		"  --heartbeat S       beneath: Linux counts as dead after S seconds without a\n"
		"                      heartbeat, 1 to 3600 (never)\n"
		"  --kernel FILE       beneath: another Linux, which starts after this one has died,\n"
		"                      if the system allows it (linux-restarts), or by reload-linux\n"
		"  --initrd FILE       its initramfs\n"
		"  --append TEXT       text to append to this Linux's command line\n"
		"  --trust-components  components count as parts of the kernel: Limpet's own entries\n"
		"                      omit protection against speculation; Linux's do not\n"
		"  --untried           attach to a kernel that is newer than any that Limpet was tried\n"
		"                      on, after doctor has compared the symbols, entries and\n"
		"                      structures that Limpet relies on; refused if one differs\n"
		"  --module FILE       the module; default: limpet.ko in updates, updates/dkms or\n"
		"                      extra of /lib/modules/RELEASE\n"
		"  --config FILE       read all options from a file: see limpet.conf(5)\n"
		"  --force-check NAME  continue although doctor's check of that name refuses; the\n"
		"                      module still makes its own checks\n",
	.run = attach_main,
};
