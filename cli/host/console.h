/* SPDX-License-Identifier: GPL-2.0 */
/* Takes the components' console, channel 0 of each CPU, into the log. Nothing is trusted. */
#ifndef HOST_CONSOLE_H
#define HOST_CONSOLE_H

#include <stdbool.h>

#include <client/numbered.h>
#include <client/ring.h>

#include "log_file.h"

struct console {
	unsigned int cpu; /* of the system */
	bool bound;	  /* a component has made the channel, and it is mapped */
	bool open;	  /* there is a ring in it */
	struct limpet_numbered channel;
	struct limpet_ring_reader reader;
};

void console_init(struct console *console, unsigned int cpu);
/* Binds the channel once a component has made it. True: it is bound. */
bool console_bind(struct console *console);
/* Moves all that stands in the ring to the log; bounded by the ring's size. */
void console_drain(struct console *console, struct log_file *log);
void console_close(struct console *console);

#endif
