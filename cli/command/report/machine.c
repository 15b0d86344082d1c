// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cli/command/report/survey.h>
#include <cli/common/text.h>

#define MEMINFO 4096

/* Copies the value behind `key` and a colon. */
static void value_take(const char *text, const char *key, char to[SURVEY_TEXT])
{
	const char *at = strstr(text, key), *end;

	if (!at || !(at = strchr(at, ':')))
		return;
	at += strspn(at, ": \t");
	end = at + strcspn(at, "\n");
	snprintf(to, SURVEY_TEXT, "%.*s", (int)(end - at), at);
}

static void processor_read(struct survey_machine *machine, const char *root)
{
	FILE *file = machine_open(root, "/proc/cpuinfo");
	char *line = NULL;
	size_t size = 0;
	bool hypervisor = false;

	while (file && getline(&line, &size, file) > 0) {
		machine->processors += !strncmp(line, "processor\t", 10);
		if (!*machine->processor)
			value_take(line, "model name", machine->processor);
		hypervisor |= !strncmp(line, "flags", 5) && text_has_word(line, "hypervisor");
	}
	free(line);
	if (file)
		fclose(file);
	if (!text_read(root, "/sys/hypervisor/type", machine->hypervisor,
		       sizeof(machine->hypervisor)) &&
	    hypervisor)
		strcpy(machine->hypervisor, "yes, the processor reports one");
}

static void name_read(struct survey_machine *machine, const char *root)
{
	char vendor[SURVEY_TEXT / 2], product[SURVEY_TEXT / 2 - 1];

	text_read(root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
	text_read(root, "/sys/class/dmi/id/product_name", product, sizeof(product));
	snprintf(machine->name, sizeof(machine->name), "%s%s%s", vendor,
		 *vendor && *product ? " " : "", product);
}

void survey_machine_read(struct survey_machine *machine, const char *root)
{
	char text[MEMINFO];
	char kib[SURVEY_TEXT] = "";
	const time_t now = time(NULL);
	struct utsname names;

	*machine = (struct survey_machine){ 0 };
	name_read(machine, root);
	processor_read(machine, root);
	text_read(root, "/proc/meminfo", text, sizeof(text));
	value_take(text, "MemTotal", kib);
	machine->memory_mib = strtod(kib, NULL) / 1024;
	text_read(root, "/proc/cmdline", machine->command_line, sizeof(machine->command_line));
	text_read(root, "/proc/sys/kernel/osrelease", machine->kernel, sizeof(machine->kernel));
	text_read(root, "/proc/sys/kernel/version", machine->version, sizeof(machine->version));
	text_read(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  machine->clock, sizeof(machine->clock));
	if (!uname(&names))
		snprintf(machine->host, sizeof(machine->host), "%s", names.nodename);
	strftime(machine->time, sizeof(machine->time), "%Y-%m-%d %H:%M:%S UTC", gmtime(&now));
}
