// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <cli/command.h>
#include <cli/doctor/doctor.h>
#include <cli/module.h>
#include <cli/option.h>
#include <cli/report.h>
#include <cli/text.h>

struct attach {
	const char *module; /* path, or NULL */
	bool beneath;
	long memory; /* MiB, 0: the module's default */
	const char *force[DOCTOR_CHECKS_MAX];
	unsigned int forced;
};

static bool parse(struct attach *attach, const struct command *command, int argc, char **argv,
		  int *code)
{
	static const struct option options[] = {
		{ "module", required_argument, NULL, 'm' },
		{ "beneath", no_argument, NULL, 'b' },
		{ "memory", required_argument, NULL, 'M' },
		{ "force-check", required_argument, NULL, 'f' },
		OPTION_HELP,
		OPTION_END,
	};
	int option;

	while ((option = option_next(command, argc, argv, options, code)) > 0) {
		if (option == 'm')
			attach->module = optarg;
		else if (option == 'b')
			attach->beneath = true;
		else if (option == 'M' && !text_number(optarg, 4, 4096, &attach->memory)) {
			*code = report_usage(command, "--memory '%s' is not 4 to 4096", optarg);
			return false;
		} else if (option == 'f' && attach->forced < DOCTOR_CHECKS_MAX)
			attach->force[attach->forced++] = optarg;
	}
	if (attach->memory && !attach->beneath && option) {
		*code = report_usage(command, "--memory is for --beneath");
		return false;
	}
	return option && option_arguments(command, argc, argv, 0, 0, "", code);
}

/* The module's parameters. */
static void parameters_write(const struct attach *attach, char *text, size_t size)
{
	int length = snprintf(text, size, "%s", attach->beneath ? "beneath=1" : "");

	if (attach->memory)
		snprintf(text + length, size - (size_t)length, " memory=%ld", attach->memory);
}

static bool is_forced(const struct attach *attach, const struct doctor_check *check)
{
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
			*code = report_usage(command, "--force-check %s: doctor has no such check",
					     attach->force[i]);
			return false;
		}
	return true;
}

/* All that refuses is said at once: nobody wants to find out one by one. */
static int refuse(const struct attach *attach, const struct doctor *doctor)
{
	int code = COMMAND_OK;

	for (unsigned int i = 0; i < doctor->count; i++) {
		const struct doctor_check *check = &doctor->check[i];

		if (check->state == DOCTOR_REFUSED && !is_forced(attach, check))
			code = report("refused: %s: %s: %s", check->name, check->reason,
				      check->remedy);
	}
	return code;
}

static int attach_main(const struct command *command, int argc, char **argv)
{
	static struct doctor doctor;
	struct attach attach = { 0 };
	char path[PATH_MAX], parameters[64];
	int code;

	if (!parse(&attach, command, argc, argv, &code))
		return code;
	if (module_is_loaded())
		return report("attached already: `limpet detach` first");
	doctor_run(&doctor, "", false);
	if (!force_names_exist(&attach, command, &doctor, &code))
		return code;
	code = refuse(&attach, &doctor);
	if (code)
		return code;
	if (!module_find(attach.module, path, sizeof(path)))
		return COMMAND_REFUSED;
	parameters_write(&attach, parameters, sizeof(parameters));
	code = module_load(path, parameters);
	if (code)
		return code;
	if (!module_wait_device())
		return COMMAND_REFUSED;
	printf("attached %s Linux %s\n", attach.beneath ? "beneath" : "to", doctor.release);
	return COMMAND_OK;
}

const struct command attach_command = {
	.name = "attach",
	.summary = "attaches Limpet to the running kernel",
	.arguments = "[--beneath [--memory MIB]] [--module FILE] [--force-check NAME]...",
	.help = "\n"
		"Where `limpet doctor` refuses it is refused, with reason and remedy.\n\n"
		"  --beneath           put a layer under Linux, which owns the interrupts and\n"
		"                      memory of its own; see CAVEATS.md for what it does so far\n"
		"  --memory MIB        beneath: for systems, hidden from Linux, 4 to 4096 (64)\n"
		"  --module FILE       the module; default: limpet.ko in updates or extra of\n"
		"                      /lib/modules/RELEASE, then in the current folder\n"
		"  --force-check NAME  go on although doctor's check of that name refuses; the\n"
		"                      module's own checks still hold\n",
	.run = attach_main,
};
