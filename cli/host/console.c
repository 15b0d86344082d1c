// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdio.h>

#include <limpet/image.h>

#include <cli/common/system.h>

#include "console.h"

void console_init(struct console *console, uint32_t id, unsigned int cpu)
{
	*console = (struct console){ .id = id, .cpu = cpu };
}

bool console_bind(struct console *console)
{
	char name[LIMPET_NAME_MAX];

	system_channel_name(name, "console", console->id, console->cpu);
	if (!console->bound)
		console->bound = !limpet_channel_open(&console->channel, name);
	return console->bound;
}

static void note_losses(struct console *console, struct log_file *log, uint64_t broken)
{
	uint64_t dropped = limpet_ring_dropped(&console->reader);

	if (dropped)
		log_file_note(log,
			      "CPU %u: %" PRIu64 " bytes of the console were dropped: "
			      "the components wrote faster than they were read",
			      console->cpu, dropped);
	if (console->reader.broken != broken)
		log_file_note(log, "CPU %u: the console's ring was broken; text is lost",
			      console->cpu);
}

void console_drain(struct console *console, struct log_file *log)
{
	uint64_t broken = console->reader.broken;
	uint64_t max;
	char text[4096];
	size_t size;

	if (console->bound && !console->open) {
		void *memory = limpet_channel_memory(&console->channel, &size);

		console->open = memory && limpet_ring_open(&console->reader, memory, size);
	}
	if (!console->open)
		return;
	/* This comes before the ring is read, so that later events end the next wait. */
	limpet_channel_events(&console->channel);
	max = console->reader.size;
	do {
		size = limpet_ring_read(&console->reader, text, sizeof(text));
		log_file_write(log, text, size);
		max -= size < max ? size : max;
	} while (size && max);
	note_losses(console, log, broken);
}

void console_close(struct console *console)
{
	if (console->bound)
		limpet_channel_close(&console->channel);
	console_init(console, console->id, console->cpu);
}
