/* SPDX-License-Identifier: GPL-2.0 */
/* `limpet tun`: frames between a TAP device and a channel of messages. */
#ifndef CLI_TUN_H
#define CLI_TUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <lib/channel/end.h>
#include <limpet/network.h>

/* --- tap.c. Each returns 0 or more, or a negative errno */

/* An interface that is there as long as the descriptor is; -EBUSY: somebody has it. */
int tap_open(const char *name);
/* Its link goes up or down. */
int tap_carrier(int tap, bool up);

/* --- link.c: the channel, mapped */

struct link {
	int fd;
	void *memory;
	uint64_t size;
	struct limpet_end end; /* with the lock */
	pthread_mutex_t lock;
	uint32_t told; /* generation of the other side that it was told is seen */
};

/* -EPROTO: it is no channel of messages both ways. Else of open() and mmap(). */
int link_open(struct link *link, const char *path);
void link_close(struct link *link);
/* Whether frames can pass now. Called with the lock. */
bool link_connected(struct link *link);
/* Waits for a bit of LIMPET_SLEEP_..., or for a change. -EPIPE: the component was stopped, or the system ended. */
int link_wait(const struct link *link, uint32_t what);
/* After something was put in or taken out. */
void link_tell(struct link *link, uint32_t what);

/* --- pump.c */

#define TUN_MTU 1500u

/* Until the component or its system ends. Returns 0, or a negative errno. */
int pump(struct link *link, int tap);

#endif
