// SPDX-License-Identifier: GPL-2.0
/* Implements the format's description, independent of the code that prints it. */
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli/common/text.h>

#include "metrics_check.h"

#define NAMES 200
#define SERIES 2048

struct check {
	char names[NAMES][80];
	unsigned int count;
	bool counter, histogram, typed;
	double last;		  /* the previous bucket of a histogram, or 0 */
	double bound;		  /* its le; 0: no bucket yet; infinity: no bucket follows */
	char series[SERIES][400]; /* of this metric */
	unsigned int many;
	char labels[200]; /* names of the labels, in order */
};

static bool is_name(const char *text, size_t length, bool label)
{
	if (!length || isdigit((unsigned char)*text))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_' && (label || text[i] != ':'))
			return false;
	return !label || strncmp(text, "__", 2) != 0;
}

static bool ends_in(const char *name, const char *end)
{
	size_t length = strlen(name), tail = strlen(end);

	return length >= tail && !strcmp(name + length - tail, end);
}

static const char *help_line(struct check *c, const char *line)
{
	size_t length = strcspn(line, " ");

	if (c->count && (!c->typed))
		return "a metric without a TYPE";
	if (!is_name(line, length, false) || length >= sizeof(c->names[0]) || c->count == NAMES)
		return "no name of a metric";
	if (strlen(line) < length + 2)
		return "no help";
	snprintf(c->names[c->count], sizeof(c->names[0]), "%.*s", (int)length, line);
	for (unsigned int i = 0; i < c->count; i++)
		if (!strcmp(c->names[i], c->names[c->count]))
			return "a metric twice";
	c->count++;
	c->typed = false;
	c->many = 0;
	return NULL;
}

static const char *type_line(struct check *c, const char *line)
{
	const char *name = c->count ? c->names[c->count - 1] : "";
	size_t length = strcspn(line, " ");
	static const char *const units[] = { "_ms",	"_us", "_ns",	  "_pages",
					     "_frames", "_kb", "_percent" };

	if (!c->count || c->typed || length != strlen(name) || strncmp(line, name, length) != 0)
		return "a TYPE that is not behind its HELP";
	c->counter = !strcmp(line + length, " counter");
	c->histogram = !strcmp(line + length, " histogram");
	if (!c->counter && !c->histogram && strcmp(line + length, " gauge") != 0)
		return "an unknown type";
	if (c->counter != ends_in(name, "_total"))
		return "a counter without _total, or _total without a counter";
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strstr(name, units[i]))
			return "not a base unit";
	c->typed = true;
	return NULL;
}

/* Returns the end of a value, from after its first quote, or NULL if its escapes are invalid. */
static const char *label_value_end(const char *at)
{
	while (*at && *at != '"') {
		size_t length = text_utf8_length(at);

		if (!length)
			return NULL;
		if (*at == '\\' && !strchr("\\\"n", at[1]))
			return NULL;
		at += *at == '\\' ? 2 : length;
	}
	return *at ? at + 1 : NULL;
}

/*
 * Reads the labels from after one brace to after the other. Stores the names in `names`. Returns
 * NULL if they are invalid.
 */
static const char *labels_end(const char *at, char *names, size_t size)
{
	while (*at != '}') {
		size_t length = strcspn(at, "=}\"");
		char word[80];

		if (!is_name(at, length, true) || strncmp(at + length, "=\"", 2) != 0)
			return NULL;
		snprintf(word, sizeof(word), "%.*s,", (int)length, at);
		if (strstr(names, word))
			return NULL;
		strncat(names, word, size - strlen(names) - 1);
		at = label_value_end(at + length + 2);
		if (!at || (*at != ',' && *at != '}'))
			return NULL;
		at += *at == ',';
	}
	return at + 1;
}

/* Checks the bound of a bucket: bounds ascend up to +Inf. */
static const char *bound_sample(struct check *c, const char *series)
{
	const char *at = strstr(series, "le=\"");
	const double bound = at ? strtod(at + 4, NULL) : 0;

	if (!at)
		return "a bucket without le";
	if (c->bound != 0 && !(bound > c->bound))
		return "a bound that is not above the previous one";
	c->bound = bound;
	return NULL;
}

/* Checks that buckets of a histogram ascend, and that the +Inf bucket exists and equals the count. */
static const char *histogram_sample(struct check *c, const char *end, const char *series,
				    double value)
{
	const bool bucket = !strncmp(end, "_bucket{", 8);

	if (value < 0)
		return "a negative part of a histogram";
	if (!bucket && strncmp(end, "_sum{", 5) != 0 && strncmp(end, "_count{", 7) != 0)
		return "not a part of a histogram";
	if (bucket && value < c->last)
		return "a bucket below the previous one";
	if (!bucket && !isinf(c->bound))
		return "a histogram without a bucket of +Inf";
	if (!strncmp(end, "_count{", 7) && value != c->last)
		return "a count that differs from the last bucket";
	if (bucket) {
		c->last = value;
		return bound_sample(c, series);
	}
	if (!strncmp(end, "_count{", 7))
		c->last = c->bound = 0;
	return strstr(series, "le=\"") ? "le without a bucket" : NULL;
}

static const char *sample_line(struct check *c, const char *line)
{
	size_t length = strcspn(line, "{ ");
	const char *name = c->count ? c->names[c->count - 1] : "";
	const char *at = line + length;
	char labels[200] = "", *end;
	double value;

	if (!c->typed || (length != strlen(name) && !c->histogram) ||
	    strncmp(line, name, strlen(name)) != 0)
		return "a sample that is not behind its TYPE";
	if (*at == '{')
		at = labels_end(at + 1, labels, sizeof(labels));
	if (!at || *at != ' ')
		return "wrong labels";
	if (c->many == SERIES || (size_t)(at - line) >= sizeof(c->series[0]))
		return "too much for this check";
	snprintf(c->series[c->many], sizeof(c->series[0]), "%.*s", (int)(at - line), line);
	for (unsigned int i = 0; i < c->many; i++)
		if (!strcmp(c->series[i], c->series[c->many]))
			return "a series twice";
	if (c->many++ && !c->histogram && strcmp(c->labels, labels) != 0)
		return "other labels than the one before";
	snprintf(c->labels, sizeof(c->labels), "%s", labels);
	value = strtod(at + 1, &end);
	if (end == at + 1 || *end || isspace((unsigned char)at[1]) || isnan(value))
		return "not a value";
	if (c->histogram)
		return histogram_sample(c, line + strlen(name), c->series[c->many - 1], value);
	return c->counter && value < 0 ? "a negative counter" : NULL;
}

const char *metrics_wrong(const char *text)
{
	static struct check check;
	static char wrong[300];
	const char *why = NULL;
	char line[1000];

	memset(&check, 0, sizeof(check));
	for (; *text && !why; text += strcspn(text, "\n") + 1) {
		size_t length = strcspn(text, "\n");

		if (!text[length] || length >= sizeof(line))
			return "the last line does not end, or one is too long for this check";
		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		if (!strncmp(line, "# HELP ", 7))
			why = help_line(&check, line + 7);
		else if (!strncmp(line, "# TYPE ", 7))
			why = type_line(&check, line + 7);
		else
			why = sample_line(&check, line);
		if (why)
			snprintf(wrong, sizeof(wrong), "%s: %.200s", why, line);
	}
	if (!why && (!check.count || !check.typed))
		return "no metric, or no TYPE of the last one";
	return why ? wrong : NULL;
}
