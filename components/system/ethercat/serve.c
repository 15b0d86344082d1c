// SPDX-License-Identifier: BSD-2-Clause
#include <export/ethercat.h>

#include "ethercat.h"

static const struct slave *slave_at(word number)
{
	return number < master.slaves ? &master.slave[number] : NULL;
}

long ethercat_serve_input(word badge, word number, word offset, struct ethercat_input_results *out)
{
	const struct slave *slave = slave_at(number);

	(void)badge;
	return slave ? part_get(&slave->input.part, offset, &out->data) : LIMPET_ENOENT;
}

long ethercat_serve_output(word badge, word number, word offset, word length, word data)
{
	const struct slave *slave = slave_at(number);

	(void)badge;
	return slave ? part_set(&slave->output.part, offset, length, data) : LIMPET_ENOENT;
}

long ethercat_serve_cycle(word badge, word deadline, struct ethercat_cycle_results *out)
{
	long status = image_wait(deadline);

	(void)badge;
	out->cycles = image.cycles;
	return status ? status : image.good;
}

long ethercat_serve_slave(word badge, word number, struct ethercat_slave_results *out)
{
	const struct slave *slave = slave_at(number);

	(void)badge;
	if (!slave)
		return LIMPET_ENOENT;
	out->code = slave->code;
	out->vendor = slave->found_vendor;
	out->product = slave->found_product;
	return slave->state;
}

long ethercat_serve_figures(word badge, struct ethercat_figures_results *out)
{
	(void)badge;
	out->lost = line.lost;
	out->late = line.late;
	out->wrong = line.wrongs;
	return (long)line.invalid;
}
