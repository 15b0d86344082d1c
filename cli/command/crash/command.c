// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/command.h>
#include <cli/command/crash/crash_log.h>
#include <cli/command/crash/crash_print.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <client/numbered.h>
#include <client/device.h>

struct wish {
	bool json;
	bool last; /* of each CPU only that */
	unsigned int supervisors;
};

static void print_cpu(struct wish *wish, struct json *json, unsigned int cpu,
		      const struct crash_log *log)
{
	uint64_t number = crash_log_first(log);
	struct limpet_crash crash;

	if (wish->last && log->crashes)
		number = log->crashes - 1;
	if (wish->json)
		crash_json_head(json, cpu, log);
	else
		crash_print_head(stdout, cpu, log);
	for (; number < log->crashes; number++) {
		if (!crash_log_take(log, number, &crash))
			continue;
		if (wish->json)
			crash_json(json, log, &crash);
		else
			crash_print(stdout, log, &crash);
	}
	if (wish->json)
		crash_json_tail(json);
}

/* COMMAND_OK also when the CPU has no supervisor. */
static int read_cpu(struct wish *wish, struct json *json, unsigned int cpu)
{
	struct limpet_numbered channel;
	struct crash_log log;
	int error = limpet_numbered_open(&channel, LIMPET_CRASH_CHANNEL, cpu);

	if (error == -ENOENT)
		return COMMAND_OK;
	if (error)
		return report("channel %u of CPU %u: %s", LIMPET_CRASH_CHANNEL, cpu,
			      strerror(-error));
	if (crash_log_open(&log, channel.memory, channel.size)) {
		wish->supervisors++;
		print_cpu(wish, json, cpu, &log);
	}
	limpet_numbered_close(&channel);
	return COMMAND_OK;
}

static int read_all(struct wish *wish, unsigned int cpus)
{
	struct json json;
	int code = COMMAND_OK;

	if (wish->json) {
		json_begin(&json, stdout);
		json_object(&json, NULL);
		json_array(&json, "supervisors");
	}
	for (unsigned int cpu = 0; cpu < cpus && !code; cpu++)
		code = read_cpu(wish, &json, cpu);
	if (wish->json) {
		json_array_end(&json);
		json_object_end(&json);
		json_end(&json);
	}
	if (!code && !wish->supervisors)
		return report("the system has no supervisor, add one to its system file and "
			      "faults = \"supervisor\" to its components");
	return code;
}

static int cpus_of_system(unsigned int *cpus)
{
	struct limpet_ioc_info info;
	int fd = limpet_open(), error;

	if (fd < 0)
		return report_no_device(fd);
	error = limpet_info(fd, &info);
	close(fd);
	if (error)
		return report_no_device(error);
	if (info.state == LIMPET_STATE_EMPTY)
		return report("no system runs, start one with `limpet run`");
	*cpus = info.cpus;
	return COMMAND_OK;
}

static int crash_main(const struct command *command, int argc, char **argv)
{
	struct wish wish = { 0 };
	unsigned int cpus = 0;
	const struct command_option options[] = {
		OPTION_FLAG("json", &wish.json),
		OPTION_FLAG("last", &wish.last),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	code = cpus_of_system(&cpus);
	return code ? code : read_all(&wish, cpus);
}

const struct command crash_command = {
	.name = "crash",
	.summary = "shows why components crashed, and what became of them",
	.arguments = "[--last] [--json]",
	.help = "\n"
		"What the running system's supervisors have recorded: of each of the last crashes the\n"
		"fault, the registers, the functions that led there, and whose invocations. The oldest\n"
		"comes first.\n\n"
		"  --last  only the last one\n"
		"  --json  one JSON object\n",
	.run = crash_main,
};
