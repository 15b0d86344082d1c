// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/format.h>
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include "ethercat.h"

#define MANAGERS 8

/*
 * Reads a hexadecimal number up to `max`, and moves behind it and one `after`. Returns false if the
 * number or `after` is missing.
 */
static bool number_take(const char **text, uint32_t max, char after, uint32_t *value)
{
	const char *start = *text;
	uint64_t number = 0;

	for (;; ++*text) {
		char c = **text;

		if (c >= '0' && c <= '9')
			number = number * 16 + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			number = number * 16 + (uint64_t)(c - 'a' + 10);
		else
			break;
		if (number > max)
			return false;
	}
	*value = (uint32_t)number;
	if (*text == start || (**text && **text != after))
		return false;
	*text += **text != 0;
	return true;
}

/* Moves behind a word and its space. Returns false if the text does not start with it. */
static bool word_take(const char **text, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i < length; i++)
		if ((*text)[i] != word[i])
			return false;
	*text += length;
	return true;
}

/* Reads "SM ADDRESS BYTES". */
static bool process_data_take(const char **text, struct process_data *data, uint32_t *bytes)
{
	uint32_t manager, address;

	if (!number_take(text, MANAGERS - 1, ' ', &manager) ||
	    !number_take(text, 0xffff, ' ', &address) ||
	    !number_take(text, IMAGE_MAX, ' ', bytes) || !*bytes)
		return false;
	data->manager = (uint8_t)manager;
	data->address = (uint16_t)address;
	return true;
}

static long slave_read(struct slave *slave, const char *text)
{
	uint32_t outputs = 0, inputs = 0;
	long status;

	if (!number_take(&text, UINT32_MAX, ':', &slave->vendor) ||
	    !number_take(&text, UINT32_MAX, ' ', &slave->product))
		return LIMPET_ERANGE;
	if (word_take(&text, "out ") && !process_data_take(&text, &slave->output, &outputs))
		return LIMPET_ERANGE;
	if (word_take(&text, "in ") && !process_data_take(&text, &slave->input, &inputs))
		return LIMPET_ERANGE;
	if (*text)
		return LIMPET_ERANGE;
	status = part_add(&slave->output.part, outputs, false);
	if (!status)
		status = part_add(&slave->input.part, inputs, true);
	line.expected += (outputs ? 2 : 0) + (inputs ? 1 : 0);
	return status;
}

long master_setup(const struct limpet_info *info)
{
	uint64_t us = (uint64_t)limpet_arg_within(info, "period-us", 1000, 100, 1000000);
	long status = LIMPET_OK;

	line.period = limpet_us_to_ticks(us);
	master.found = -1;
	while (master.slaves < SLAVES && !status) {
		struct slave *slave = &master.slave[master.slaves];
		const char *text;
		char key[16];

		limpet_format(key, sizeof(key), "slave-%u", master.slaves);
		text = limpet_arg_text(info, key, NULL);
		if (!text)
			break;
		slave->station = (uint16_t)(STATION + master.slaves++);
		status = slave_read(slave, text);
		if (status == LIMPET_EFULL)
			limpet_print("<3>%s: all process data have more than %u bytes\n", key,
				     IMAGE_MAX);
		else if (status)
			limpet_print(
				"<3>%s is '%s': write \"VENDOR:PRODUCT out SM ADDRESS BYTES in SM "
				"ADDRESS BYTES\" in hexadecimal\n",
				key, text);
	}
	return status;
}
