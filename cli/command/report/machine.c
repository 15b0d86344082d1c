// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <cli/command/report/survey.h>
#include <cli/common/text.h>

#define CPUINFO 65536

/* Copies the value behind `key` and a colon in the first line that starts with it. */
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
	static char text[CPUINFO];
	char flags[SURVEY_TEXT];

	text_read(root, "/proc/cpuinfo", text, sizeof(text));
	value_take(text, "model name", machine->processor);
	for (const char *at = text; (at = strstr(at, "processor\t")); at++)
		machine->processors++;
	if (text_read(root, "/sys/hypervisor/type", flags, sizeof(flags)))
		strcpy(machine->hypervisor, flags);
	else if (text_has_word(text, "hypervisor"))
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
	static char text[CPUINFO];
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
