// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>

#include <cli/command/stat/print.h>
#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/common/prometheus.h>

static int stat_main(const struct command *command, int argc, char **argv)
{
	static struct snapshot snapshot;
	bool json = false, prometheus = false;
	const struct command_option options[] = {
		OPTION_FLAG("json", &json),
		OPTION_FLAG("prometheus", &prometheus),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	if (!snapshot_take(&snapshot))
		return COMMAND_REFUSED;
	(json ? stat_print_json : prometheus ? prometheus_print : stat_print)(stdout, &snapshot);
	snapshot_release(&snapshot);
	return COMMAND_OK;
}

const struct command stat_command = {
	.name = "stat",
	.summary = "prints the running system's counters",
	.arguments = "[--json | --prometheus]",
	.help = "\n"
		"Prints counters for each CPU of the system, since the system was loaded.\n\n"
		"  --json        one JSON object\n"
		"  --prometheus  metrics of the system, its CPUs, components and threads in Prometheus'\n"
		"                text format; `limpet exporter` serves them\n",
	.run = stat_main,
};
