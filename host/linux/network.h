/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Linux end of a channel of mode NETWORK: a network device. Stands alone: Linux's network headers and the
 * kernel's of ours have names in common.
 */
#ifndef HOST_NETWORK_H
#define HOST_NETWORK_H

#include <linux/types.h>

struct network;

/* What the device asks of the channel's owner in this module; `channel` is as in network_setup. */
struct network_operations {
	/* The channel's memory, for as long as the device is there; NULL: not yet. May sleep. */
	void *(*memory)(void *channel);
	/* An event for the component. Any context. */
	void (*notify)(void *channel);
	/* How often the component has been stopped. Any context. */
	u32 (*stops)(void *channel);
};

/* Of a checked image. */
struct network_setup {
	const char *name; /* of the interface */
	u32 mtu;
	u8 mac[6];
	u32 to_linux, to_component; /* bytes of the rings */
	const struct network_operations *operations;
	void *channel;
};

/* The device is there, down. Sleeps, takes the RTNL. ERR_PTR(): -EEXIST: there is another of this name. */
struct network *network_create(const struct network_setup *setup);
/* The component has sent an event, or was stopped. Any context. */
void network_notified(struct network *network);
/* It is gone; nothing calls the operations any more. Sleeps, takes the RTNL. */
void network_destroy(struct network *network);

#endif
