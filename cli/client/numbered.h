/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Client library: a channel that no system file declares, of the numbers below LIMPET_CHANNEL_FIRST: the
 * console and crash records of a CPU, mapped. For the command itself.
 */
#ifndef CLIENT_NUMBERED_H
#define CLIENT_NUMBERED_H

#include <stddef.h>

struct limpet_numbered {
	int fd;	      /* POLLIN: the component notified since the last poll */
	void *memory; /* shared with the component, which may write anything at any time */
	size_t size;
};

/*
 * Binds channel `number` of CPU `cpu` of the running system and maps it. Returns 0 or a negative
 * errno, and then nothing is open; -ENOENT: not attached, or no component has made it yet.
 */
int limpet_numbered_open(struct limpet_numbered *channel, unsigned int number, unsigned int cpu);
/* Unmaps and closes. */
void limpet_numbered_close(struct limpet_numbered *channel);

#endif
