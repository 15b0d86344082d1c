// SPDX-License-Identifier: BSD-2-Clause
/* Reads the topics. net/host.c has the network host and the component's own thread. */
#include <runtime/format.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include "mqtt.h"

/* Returns the number at the start of a row, and moves to the next word. */
static uint32_t number_take(const char **row)
{
	uint32_t value = 0;

	for (; **row >= '0' && **row <= '9'; ++*row)
		value = value * 10 + (uint32_t)(**row - '0');
	if (**row == ' ')
		++*row;
	return value;
}

/* The composer's rows. */
static char rows[LIMPET_INFO_ARGS * sizeof(((struct limpet_info_arg *)0)->text)];

/* Joins the arguments topics, topics.1, topics.2 ..., which are the pieces of the rows. */
static void rows_join(const struct limpet_info *info)
{
	const char *piece = limpet_arg_text(info, "topics", NULL);
	char *end = rows, name[sizeof(info->arg[0].name)];

	for (unsigned int i = 1; piece; i++) {
		memcpy(end, piece, strlen(piece));
		end += strlen(piece);
		limpet_format(name, sizeof(name), "topics.%u", i);
		piece = limpet_arg_text(info, name, NULL);
	}
	*end = 0;
}

/*
 * Reads the row COMPONENT PUBLISH QUALITY RETAIN NAME PATH. Ends its path with a 0, and returns the start of the next
 * row.
 */
static char *topic_setup(struct topic *topic, char *start)
{
	const char *row = start;
	char *end;

	topic->component = number_take(&row);
	topic->publish = number_take(&row);
	topic->qos = (uint8_t)number_take(&row);
	topic->retain = number_take(&row);
	for (unsigned int i = 0; *row && *row != ' ' && i < TOPIC_NAME; row++)
		topic->name[i++] = *row;
	topic->path = *row ? row + 1 : row;
	for (end = start; *end && *end != '\n'; end++)
		;
	if (*end)
		*end++ = 0;
	return end;
}

static void topics_setup(const struct limpet_info *info)
{
	char *row = rows;

	rows_join(info);
	for (unsigned int i = 0; *row && i < TOPICS; i++)
		row = topic_setup(&topics[i], row);
}

long component_init(const struct limpet_info *info)
{
	long status;

	core_setup(info);
	topics_setup(info);
	status = host_setup(info);
	return status ? status : session_setup(info);
}
