// SPDX-License-Identifier: GPL-2.0
/* `limpet doctor` prints the checks of cli/doctor/, or checks a configuration file. */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cli/command/attach/options.h>
#include <cli/common/command.h>
#include <cli/common/config.h>
#include <cli/common/image.h>
#include <cli/common/json.h>
#include <cli/common/module.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/doctor/checks.h>
#include <cli/doctor/compare.h>

static void print_check(const struct doctor_check *check)
{
	printf("%-21s %-8s %s\n", check->name, doctor_state_word(check->state), check->found);
	if (check->reason)
		printf("%30s why: %s\n", "", check->reason);
	if (check->remedy)
		printf("%30s do:  %s\n", "", check->remedy);
}

/* Returns the modes in which Limpet can attach, as a text for the user. */
static const char *modes(const struct doctor *doctor)
{
	switch (doctor_find(doctor, "beneath")->state) {
	case DOCTOR_OK:
		return "beside Linux, or beneath it";
	case DOCTOR_UNKNOWN:
		return "beside Linux, perhaps beneath it";
	default:
		return "beside Linux, not beneath it";
	}
}

static void print_table(const struct doctor *doctor)
{
	unsigned int refusals = doctor_refusals(doctor);

	for (unsigned int i = 0; i < doctor->count; i++)
		print_check(&doctor->check[i]);
	if (refusals)
		printf("\nLimpet cannot attach: %u of %u checks refuse%s.\n", refusals,
		       doctor->count, refusals == 1 ? "s" : "");
	else
		printf("\nLimpet can attach: %s.\n", modes(doctor));
}

static void print_json(const struct doctor *doctor)
{
	struct json json;

	json_begin(&json, stdout);
	json_bool(&json, "ok", !doctor_refusals(doctor));
	json_array(&json, "checks");
	for (unsigned int i = 0; i < doctor->count; i++) {
		json_object(&json, NULL);
		json_text(&json, "name", doctor->check[i].name);
		json_text(&json, "state", doctor_state_word(doctor->check[i].state));
		json_text(&json, "found", doctor->check[i].found);
		json_text(&json, "reason", doctor->check[i].reason);
		json_text(&json, "remedy", doctor->check[i].remedy);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_end(&json);
}

/* Checks the images that the unit limpet@NAME runs. Returns whether all are valid. */
static bool systems_check(const char *root, size_t *count)
{
	char pattern[PATH_MAX];
	glob_t found = { 0 };
	struct image image;
	bool ok = true;

	snprintf(pattern, sizeof(pattern), "%s/etc/limpet/systems/*.limpet", root);
	if (!glob(pattern, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++) {
			if (image_open(&image, found.gl_pathv[i]))
				image_close(&image);
			else
				ok = false;
		}
	*count = found.gl_pathc;
	globfree(&found);
	return ok;
}

/* Checks a configuration file. If `path` is NULL, checks the installed file and the installed images. */
static int config_check(struct doctor *doctor, const char *root, const char *path)
{
	struct attach attach = { 0 };
	char installed[PATH_MAX];
	size_t systems = 0;
	int settings;
	bool ok;

	doctor_run(doctor, root, false);
	snprintf(installed, sizeof(installed), "%s%s", root, CONFIG_FILE);
	settings = attach_config_read(&attach, path ? path : installed, root, doctor);
	ok = path || systems_check(root, &systems);
	if (settings < 0 || !ok)
		return COMMAND_REFUSED;
	printf("%s: no mistake, settings: %d, mode: %s\n", path ? path : installed, settings,
	       attach.beneath ? "beneath" : "beside");
	if (!path)
		printf("%s/etc/limpet/systems: no mistake, systems: %zu\n", root, systems);
	return COMMAND_OK;
}

static int doctor_main(const struct command *command, int argc, char **argv)
{
	static struct doctor doctor;
	const char *root = "";
	bool json = false, config = false;
	char path[PATH_MAX];
	const struct command_option options[] = {
		OPTION_FLAG("json", &json),
		OPTION_FLAG("config", &config),
		OPTION_TEXT("root", &root),
		OPTION_END,
	};
	const char *module;
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0, 1, "" },
			  &code))
		return code;
	if (config && json)
		return report_usage(command, "--config and --json exclude each other.");
	if (access(*root ? root : "/", R_OK | X_OK))
		return report("--root %s: %s. Give the root folder of the machine's files.", root,
			      strerror(errno));
	if (config)
		return config_check(&doctor, root, argv[optind]);
	if (argv[optind])
		return report_usage(command, "'%s' is one argument too many.", argv[optind]);
	doctor_run(&doctor, root, true);
	module = !*root && module_search(path, sizeof(path)) ? path : NULL;
	doctor_module(&doctor, module);
	doctor_compare(&doctor, module, false);
	if (json)
		print_json(&doctor);
	else
		print_table(&doctor);
	return doctor_refusals(&doctor) ? COMMAND_REFUSED : COMMAND_OK;
}

const struct command doctor_command = {
	.name = "doctor",
	.summary = "checks whether this machine and kernel support Limpet, and in which modes",
	.arguments = "[--json | --config [FILE]] [--root DIR]",
	.help = "\n"
		"Each check is ok, a note, unknown, or refused with the reason and the remedy.\n"
		"The check `beneath` concerns only that mode, and never refuses.\n"
		"Nothing is changed. Exit code 1: Limpet cannot attach.\n\n"
		"  --json           one JSON object\n"
		"  --root DIR       read DIR/proc, DIR/sys, DIR/boot and DIR/dev instead of this\n"
		"                   machine's\n"
		"  --config [FILE]  only check a configuration file, and print each mistake with its\n"
		"                   line; without FILE: /etc/limpet/limpet.conf and the images in\n"
		"                   /etc/limpet/systems\n",
	.run = doctor_main,
};
