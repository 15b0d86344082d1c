// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cli/command/bridge/table.h>
#include <cli/common/command.h>
#include <cli/common/option.h>
#include <cli/common/program.h>
#include <cli/common/report.h>
#include <cli/common/text.h>

#define PROGRAM "limpet-bridge" /* next to this program; it needs DDS's library */

/* Executes the program. Returns only if that fails. */
static int program_run(char *table, long domain, bool json)
{
	char path[PATH_MAX], number[24];

	if (!program_next(PROGRAM, path))
		return report("%s: The folder of limpet is unknown. Mount /proc.", PROGRAM);
	snprintf(number, sizeof(number), "%ld", domain);
	execl(path, PROGRAM, table, number, json ? "json" : "text", (char *)NULL);
	return report(
		"%s: %s. Install the package limpet-bridge, or build Limpet where cyclonedds-dev is installed.",
		path, strerror(errno));
}

/* Reads the domain from the environment. Returns false after a reported error. */
static bool domain_default(long *domain)
{
	const char *given = getenv("ROS_DOMAIN_ID");

	*domain = 0;
	if (!given || !*given || text_number(given, 0, DOMAIN_MAX, domain))
		return true;
	report("ROS_DOMAIN_ID=%s: must be 0 to %d", given, DOMAIN_MAX);
	return false;
}

static int bridge_main(const struct command *command, int argc, char **argv)
{
	long domain = -1;
	bool json = false;
	const struct command_option options[] = {
		OPTION_NUMBER("domain", &domain, 0, DOMAIN_MAX, ""),
		OPTION_FLAG("json", &json),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options,
			  (struct command_arguments){ 1, 1, "The table" }, &code))
		return code;
	if (domain < 0 && !domain_default(&domain))
		return COMMAND_REFUSED;
	return program_run(argv[optind], domain, json);
}

const struct command bridge_command = {
	.name = "bridge",
	.summary = "connects channels to topics of DDS and ROS 2",
	.arguments = "[--domain N] [--json] TABLE",
	.help = "\n"
		"Carries messages between channels of a running system and topics of DDS, the middleware below\n"
		"ROS 2, until it gets SIGINT or SIGTERM. TABLE is the file SYSTEM.bridge, which limpet-compose\n"
		"writes next to the image from the [[bridge]] tables of the system file. It reports which\n"
		"subscribers and publishers come and leave, and what was lost. At the end, and on SIGUSR1, it\n"
		"prints counts.\n\n"
		"  --domain N  the DDS domain, 0 to 232 (default: ROS_DOMAIN_ID of the environment, or 0)\n"
		"  --json      print the counts as one JSON object\n",
	.run = bridge_main,
};
