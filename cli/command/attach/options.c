// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cli/command/attach/options.h>
#include <cli/common/config.h>
#include <cli/common/option.h>
#include <cli/common/report.h>

static bool forced_take(void *to, const char *name)
{
	struct attach *attach = to;

	if (attach->forced < DOCTOR_CHECKS_MAX)
		attach->force[attach->forced++] = name;
	return true;
}

/* The options that a configuration file can have. */
#define SETTINGS(attach)                                                                           \
	OPTION_TEXT("module", &(attach)->module), OPTION_FLAG("beneath", &(attach)->beneath),      \
		OPTION_FLAG("trust-components", &(attach)->trust),                                 \
		OPTION_FLAG("untried", &(attach)->untried),                                        \
		OPTION_NUMBER("memory", &(attach)->memory, 4, 4096, " MiB"),                       \
		OPTION_NUMBER("heartbeat", &(attach)->heartbeat, 1, 3600, " seconds"),             \
		OPTION_TEXT("kernel", &(attach)->again.kernel),                                    \
		OPTION_TEXT("initrd", &(attach)->again.initrd),                                    \
		OPTION_TEXT("append", &(attach)->again.append),                                    \
		OPTION_TAKE("force-check", forced_take, attach, "")

static bool again_fits(const struct attach *attach)
{
	const struct plan_source *again = &attach->again;

	if (!again->kernel != !again->initrd || (again->append && !again->kernel))
		return false;
	return !again->kernel || attach->beneath;
}

/* Returns whether the command line has only --config FILE or --config=FILE. */
static bool is_config_alone(const struct attach *attach, int argc, char **argv)
{
	return argc == 2 || (argc == 3 && argv[2] == attach->config);
}

bool attach_options_take(struct attach *attach, const struct command *command, int argc,
			 char **argv, int *code)
{
	const struct command_option options[] = { OPTION_TEXT("config", &attach->config),
						  SETTINGS(attach), OPTION_END };

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, code))
		return false;
	if (attach->config && !is_config_alone(attach, argc, argv))
		*code = report_usage(command, "--config: The other options must be in the file.");
	else if ((attach->memory || attach->heartbeat) && !attach->beneath)
		*code = report_usage(command, "--%s needs --beneath.",
				     attach->memory ? "memory" : "heartbeat");
	else if (!again_fits(attach))
		*code = report_usage(
			command,
			"--kernel and --initrd need each other and --beneath. --append needs both.");
	else
		return true;
	return false;
}

/* Reports a setting that is set without another one that it needs. */
static void need(struct config *config, bool set, const char *name, bool other, const char *what)
{
	if (set && !other)
		config_mistake(config, name, "%s needs %s.", name, what);
}

static void relations_check(struct config *config, const struct attach *attach)
{
	const struct plan_source *again = &attach->again;

	need(config, attach->memory, "memory", attach->beneath, "beneath = yes");
	need(config, attach->heartbeat, "heartbeat", attach->beneath, "beneath = yes");
	need(config, again->kernel, "kernel", attach->beneath, "beneath = yes");
	need(config, again->kernel, "kernel", again->initrd, "initrd");
	need(config, again->initrd, "initrd", again->kernel, "kernel");
	need(config, again->append, "append", again->kernel, "kernel");
}

/* Reports a relative or unreadable path. systemd starts the command in /, so a relative path would be ambiguous. */
static void file_check(struct config *config, const char *root, const char *name, const char *path)
{
	char whole[PATH_MAX];

	if (!path)
		return;
	if (*path != '/') {
		config_mistake(config, name, "%s = %s: must be an absolute path", name, path);
		return;
	}
	snprintf(whole, sizeof(whole), "%s%s", root, path);
	if (access(whole, R_OK))
		config_mistake(config, name, "%s = %s: %s. Correct the path.", name, path,
			       strerror(errno));
}

static void forced_check(struct config *config, const struct attach *attach,
			 const struct doctor *doctor)
{
	for (unsigned int i = 0; i < attach->forced; i++)
		if (!doctor_find(doctor, attach->force[i]))
			config_mistake(config, "force-check",
				       "force-check = %s: `limpet doctor` has no such check.",
				       attach->force[i]);
}

int attach_config_read(struct attach *attach, const char *path, const char *root,
		       const struct doctor *doctor)
{
	const struct command_option options[] = { SETTINGS(attach), OPTION_END };
	struct config config;
	int settings = 0;

	/* A mistake in a setting would cause further mistakes of the settings that need it. */
	if (config_read(&config, path, options))
		relations_check(&config, attach);
	file_check(&config, root, "module", attach->module);
	file_check(&config, root, "kernel", attach->again.kernel);
	file_check(&config, root, "initrd", attach->again.initrd);
	forced_check(&config, attach, doctor);
	for (unsigned int i = 0; options[i].name; i++)
		settings += config.line[i] > 0;
	return config.mistakes ? -1 : settings;
}
