/* SPDX-License-Identifier: GPL-2.0 */
/* Moves the console of a CPU's components, a channel, to the log. The channel's contents are not trusted. */
#ifndef HOST_CONSOLE_H
#define HOST_CONSOLE_H

#include <stdbool.h>

#include <client/channel.h>
#include <client/ring.h>

#include "log_file.h"

struct console {
	uint32_t id;	  /* id of the system */
	unsigned int cpu; /* CPU of the system */
	bool bound;	  /* the channel is open */
	bool open;	  /* the channel has a ring */
	struct limpet_channel channel;
	struct limpet_ring_reader reader;
};

void console_init(struct console *console, uint32_t id, unsigned int cpu);
/* Opens the channel if a component has made it. Returns true if it is open. */
bool console_bind(struct console *console);
/* Moves all text of the ring to the log. The ring's size bounds the work. */
void console_drain(struct console *console, struct log_file *log);
void console_close(struct console *console);

#endif
