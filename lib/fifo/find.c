// SPDX-License-Identifier: BSD-2-Clause
/* Finds the FIFOs that the system file gives to the component. */
#include "state.h"

static struct fifo fifos[LIMPET_INFO_CHANNELS];
static unsigned int count;
static uint8_t of_number[FIFO_NUMBERS]; /* 1 + index; 0: none */
word fifos_events;
static uint32_t found; /* 1: the variables above are set */
static struct mutex finding;

/* Returns the number in a name rtf0 to rtf63, which the checker of the image has checked. */
static unsigned int name_number(const char *name)
{
	unsigned int number = 0;

	for (const char *at = name + 3; *at; at++)
		number = number * 10 + (unsigned int)(*at - '0');
	return number % FIFO_NUMBERS;
}

static void fifo_find(const struct limpet_info_channel *info, word slot)
{
	struct limpet_channel_header *header = (struct limpet_channel_header *)info->address;
	char *rings = (char *)header + LIMPET_CHANNEL_PAGE;
	struct fifo *fifo = &fifos[count++];

	fifo->end = (struct limpet_end){
		.self = &header->component,
		.peer = &header->host,
		.out = rings,
		.in = rings + info->to_linux,
		.out_size = info->to_linux,
		.in_size = info->to_component,
	};
	fifo->number = name_number(info->name);
	fifo->max = info->to_linux ? info->to_linux : info->to_component;
	fifo->slot = slot;
	fifos_events |= 1ul << info->bit;
	of_number[fifo->number] = (uint8_t)count;
}

static void find_all(void)
{
	const struct limpet_info *own = limpet_info();
	const struct limpet_info_channel *info = (const void *)own->channel_info;

	mutex_lock(&finding, LIMPET_NEVER);
	if (!found)
		for (unsigned int i = 0; i < own->channels; i++)
			if (info[i].mode == LIMPET_CHANNEL_FIFO)
				fifo_find(&info[i], own->channel_slot + i);
	__atomic_store_n(&found, 1, __ATOMIC_RELEASE);
	mutex_unlock(&finding);
}

struct fifo *fifo_of(unsigned int number)
{
	if (unlikely(!__atomic_load_n(&found, __ATOMIC_ACQUIRE)))
		find_all();
	return number < FIFO_NUMBERS && of_number[number] ? &fifos[of_number[number] - 1] : NULL;
}

bool fifo_is_given(unsigned int number)
{
	return fifo_of(number);
}
