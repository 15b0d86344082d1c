// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <limpet/node.h>

#include <cli/common/command.h>
#include <cli/command/crash/crash_log.h>
#include <cli/command/crash/crash_print.h>
#include <cli/common/source.h>
#include <cli/common/option.h>
#include <cli/common/report.h>
#include <cli/common/system.h>
#include <client/channel.h>
#include <client/device.h>

struct wish {
	bool json;
	bool last; /* only the last record of each CPU */
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

/* Copies a channel's memory, and closes the channel, because a reader of the output can be slow. Free *copy later. */
static int channel_copy(const char *name, void **copy, size_t *size)
{
	struct limpet_channel channel;
	const void *memory;
	int error = limpet_channel_open(&channel, name);

	if (error)
		return error;
	memory = limpet_channel_memory(&channel, size);
	*copy = memory ? malloc(*size) : NULL;
	if (*copy)
		memcpy(*copy, memory, *size);
	limpet_channel_close(&channel);
	return *copy ? 0 : memory ? -ENOMEM : -EPROTO;
}

/* The crash records of one CPU's supervisor. */
struct cpu_log {
	void *memory; /* a copy, or NULL */
	struct crash_log log;
	bool valid;
};

/* Returns COMMAND_OK also if the CPU has no supervisor. */
static int read_cpu(struct cpu_log *its, uint32_t id, unsigned int cpu)
{
	char name[LIMPET_NAME_MAX];
	size_t size;
	int error;

	system_channel_name(name, "crash", id, cpu);
	error = channel_copy(name, &its->memory, &size);
	if (error == -ENOENT || error == -ENXIO)
		return COMMAND_OK;
	if (error)
		return report("Channel '%s': %s", name, strerror(-error));
	its->valid = crash_log_open(&its->log, its->memory, size);
	return COMMAND_OK;
}

static void print_all(struct wish *wish, const struct cpu_log *logs, unsigned int cpus)
{
	struct json json;

	if (wish->json) {
		json_begin(&json, stdout);
		json_array(&json, "supervisors");
	}
	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		wish->supervisors += logs[cpu].valid;
		if (logs[cpu].valid)
			print_cpu(wish, &json, cpu, &logs[cpu].log);
	}
	if (wish->json) {
		json_array_end(&json);
		json_end(&json);
	}
}

/* Prints nothing if the records of one CPU cannot be read, because the output would look complete. */
static int read_all(struct wish *wish, uint32_t id, unsigned int cpus)
{
	struct cpu_log *logs = calloc(cpus, sizeof(*logs));
	int code = logs ? COMMAND_OK : report("There is not enough memory.");

	for (unsigned int cpu = 0; cpu < cpus && !code; cpu++)
		code = read_cpu(&logs[cpu], id, cpu);
	if (!code)
		print_all(wish, logs, cpus);
	for (unsigned int cpu = 0; logs && cpu < cpus; cpu++)
		free(logs[cpu].memory);
	free(logs);
	if (!code && !wish->supervisors)
		return report(
			"The system has no supervisor. `limpet log` shows its faults. For records, add a supervisor "
			"to its system file, and faults = \"supervisor\" to its components.");
	return code;
}

static int info_read(struct limpet_ioc_info *info)
{
	int fd = system_open(), error;

	if (fd < 0)
		return system_report(fd);
	error = limpet_info(fd, info);
	close(fd);
	if (error)
		return report_no_device(error);
	if (info->state == LIMPET_STATE_EMPTY)
		return report("No system runs. Start one with `limpet run IMAGE`.");
	return COMMAND_OK;
}

static int crash_main(const struct command *command, int argc, char **argv)
{
	struct wish wish = { 0 };
	struct limpet_ioc_info info;
	const char *symbols = NULL;
	const struct command_option options[] = {
		OPTION_FLAG("json", &wish.json),
		OPTION_FLAG("last", &wish.last),
		OPTION_TEXT("symbols", &symbols),
		OPTION_END,
	};
	int code;

	if (!options_take(command, argc, argv, options, (struct command_arguments){ 0 }, &code))
		return code;
	if (symbols && !source_begin(symbols))
		return COMMAND_REFUSED;
	code = info_read(&info);
	return code ? code : read_all(&wish, info.id, info.cpus);
}

const struct command crash_command = {
	.name = "crash",
	.summary = "shows the crashes of components: their causes and outcomes",
	.arguments = "[--last] [--json] [--symbols DIR]",
	.help = "\n"
		"Prints the records of the running system's supervisors. For each of the last crashes they\n"
		"have the fault, the registers, the backtrace, and the callers. The oldest record comes\n"
		"first.\n\n"
		"  --last         only the last record of each CPU\n"
		"  --json         one JSON object\n"
		"  --symbols DIR  also show source lines, from the files that limpet-compose --debug DIR\n"
		"                 wrote\n",
	.run = crash_main,
};
