// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli/common/config.h>
#include <cli/common/near.h>
#include <cli/common/report.h>

#define CONFIG_SIZE 65536

static void mistake(struct config *config, unsigned int line, const char *format, va_list list)
{
	char text[REPORT_LINE / 2];

	vsnprintf(text, sizeof(text), format, list);
	config->mistakes++;
	if (line)
		report("%s:%u: %s", config->path, line, text);
	else
		report("%s: %s", config->path, text);
}

__attribute__((format(printf, 3, 4))) static void
mistake_at(struct config *config, unsigned int line, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	mistake(config, line, format, list);
	va_end(list);
}

void config_mistake(struct config *config, const char *option, const char *format, ...)
{
	unsigned int line = 0;
	va_list list;

	for (unsigned int i = 0; config->options[i].name; i++)
		if (!strcmp(config->options[i].name, option))
			line = config->line[i];
	va_start(list, format);
	mistake(config, line, format, list);
	va_end(list);
}

/* Removes spaces at both ends. Returns the new start. */
static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = 0;
	return text;
}

static void name_refuse(struct config *config, unsigned int line, const char *name)
{
	struct near near = { .word = name };

	for (unsigned int i = 0; config->options[i].name; i++)
		near_try(&near, config->options[i].name);
	if (near.found)
		mistake_at(config, line, "There is no setting '%s'. Did you mean '%s'?", name,
			   near.found);
	else
		mistake_at(config, line, "There is no setting '%s'. See limpet.conf(5).", name);
}

static bool flag_take(const struct command_option *option, const char *value)
{
	*option->flag = !strcmp(value, "yes");
	return *option->flag || !strcmp(value, "no");
}

static void value_take(struct config *config, unsigned int line,
		       const struct command_option *option, const char *value)
{
	if (option->flag && !flag_take(option, value))
		mistake_at(config, line, "%s = %s: must be yes or no", option->name, value);
	else if (option->flag || option_value_take(option, value))
		return;
	else if (option->number)
		mistake_at(config, line, "%s = %s: must be %ld to %ld%s", option->name, value,
			   option->low, option->high, option->valid ? option->valid : "");
	else
		mistake_at(config, line, "%s = %s: must be %s", option->name, value, option->valid);
}

/* Only an option with a function `take` can be set several times. */
static void setting_take(struct config *config, unsigned int line, const char *name,
			 const char *value)
{
	for (unsigned int i = 0; config->options[i].name; i++) {
		const struct command_option *option = &config->options[i];

		if (strcmp(option->name, name))
			continue;
		if (!*value)
			mistake_at(config, line, "%s has no value.", name);
		else if (config->line[i] && !option->take)
			mistake_at(config, line,
				   "%s is set a second time. It was first set in line %u.", name,
				   config->line[i]);
		else
			value_take(config, line, option, value);
		if (!config->line[i])
			config->line[i] = line;
		return;
	}
	name_refuse(config, line, name);
}

static void line_take(struct config *config, unsigned int line, char *text)
{
	char *equals;

	text = trim(text);
	if (!*text || *text == '#')
		return;
	equals = strchr(text, '=');
	if (!equals) {
		mistake_at(config, line, "'%s' does not have the form NAME = VALUE.", text);
		return;
	}
	*equals = 0;
	setting_take(config, line, trim(text), trim(equals + 1));
}

/* Returns the text, or NULL after a report. */
static char *file_read(struct config *config, const char *path)
{
	char *text = malloc(CONFIG_SIZE + 1);
	FILE *file = fopen(path, "re");
	size_t size = file && text ? fread(text, 1, CONFIG_SIZE + 1, file) : 0;
	bool ok = file && text && !ferror(file);

	if (!ok)
		mistake_at(config, 0, "%s. Name a file as in limpet.conf(5).", strerror(errno));
	else if (size > CONFIG_SIZE)
		mistake_at(config, 0, "The file is longer than %d bytes.", CONFIG_SIZE);
	else if (memchr(text, 0, size))
		mistake_at(config, 0, "The file is not a text file, because it has a byte 0.");
	else
		text[size] = 0;
	if (file)
		fclose(file);
	return config->mistakes ? NULL : text;
}

bool config_read(struct config *config, const char *path, const struct command_option *options)
{
	unsigned int number = 0;
	char *text;
	char *rest;
	char *line;

	*config = (struct config){ .path = path, .options = options };
	text = file_read(config, path);
	if (!text)
		return false;
	for (rest = text; (line = strsep(&rest, "\n"));)
		line_take(config, ++number, line);
	return !config->mistakes;
}
