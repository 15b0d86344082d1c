/* SPDX-License-Identifier: BSD-2-Clause */
/* Client library: a channel between this process and a component, mapped. */
#ifndef CLIENT_CHANNEL_H
#define CLIENT_CHANNEL_H

#include <stddef.h>

struct limpet_channel {
	int fd;	      /* POLLIN: the component notified since the last poll */
	void *memory; /* shared with the component, which may write anything at any time */
	size_t size;
};

/*
 * Binds channel `number` of CPU `cpu` of the running system and maps it. Returns 0 or a negative
 * errno, and then nothing is open; -ENOENT: not attached, or no component has made it yet.
 */
int limpet_channel_open(struct limpet_channel *channel, unsigned int number, unsigned int cpu);
/* Sends an event to the component side. */
int limpet_channel_notify(struct limpet_channel *channel);
/* Unmaps and closes. */
void limpet_channel_close(struct limpet_channel *channel);

#endif
