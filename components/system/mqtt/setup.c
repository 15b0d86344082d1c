// SPDX-License-Identifier: BSD-2-Clause
/* Reads the table of topics. net/host.c has the network host and the component's own thread. */
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

/* Reads a row that the composer wrote: COMPONENT PUBLISH QUALITY RETAIN NAME PATH. */
static void topic_setup(struct topic *topic, const char *row)
{
	topic->component = number_take(&row);
	topic->publish = number_take(&row);
	topic->qos = (uint8_t)number_take(&row);
	topic->retain = number_take(&row);
	for (unsigned int i = 0; *row && *row != ' ' && i < TOPIC_NAME; row++)
		topic->name[i++] = *row;
	topic->path = *row ? row + 1 : row;
}

static void topics_setup(const struct limpet_info *info)
{
	for (unsigned int i = 0; i < TOPICS; i++) {
		char key[16];
		const char *row;

		limpet_format(key, sizeof(key), "topic%u", i);
		row = limpet_arg_text(info, key, NULL);
		if (row)
			topic_setup(&topics[i], row);
	}
}

long component_init(const struct limpet_info *info)
{
	long status;

	core_setup(info);
	topics_setup(info);
	status = host_setup(info);
	return status ? status : session_setup(info);
}
