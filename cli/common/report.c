// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <limpet/device.h>

#include <cli/common/report.h>

static const char *report_name = "";

void report_begin(const char *command)
{
	report_name = command;
}

/* Replaces control characters by spaces, because text from a module, an image or a file can contain any bytes. */
static void make_one_line(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 127)
			*text = ' ';
}

static void print_line(const char *format, va_list values)
{
	char line[REPORT_LINE];

	vsnprintf(line, sizeof(line), format, values);
	make_one_line(line);
	fprintf(stderr, "limpet%s%s: %s\n", *report_name ? " " : "", report_name, line);
}

int report(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	print_line(format, values);
	va_end(values);
	return COMMAND_REFUSED;
}

int report_usage(const struct command *command, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	print_line(format, values);
	va_end(values);
	fprintf(stderr, "Try `limpet%s%s --help`.\n", command ? " " : "",
		command ? command->name : "");
	return COMMAND_USAGE;
}

bool report_is_detached(int error)
{
	return error == -ENOENT || error == -ENXIO || error == -ENODEV;
}

int report_no_device(int error)
{
	if (report_is_detached(error))
		return report("%s: Limpet is not attached. Run `limpet attach` first.",
			      LIMPET_DEVICE);
	if (error == -EACCES || error == -EPERM)
		return report("%s: The command needs the capability CAP_SYS_ADMIN. Run it as root.",
			      LIMPET_DEVICE);
	if (error == -EPROTO)
		return report(
			"%s: The module has another version than this command (%d). Install both from the same "
			"build.",
			LIMPET_DEVICE, LIMPET_DEVICE_VERSION);
	return report("%s: %s", LIMPET_DEVICE, strerror(-error));
}

void report_line(char *to, size_t size, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vsnprintf(to, size, format, values);
	va_end(values);
	make_one_line(to);
}
