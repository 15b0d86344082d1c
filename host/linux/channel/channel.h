/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Linux ends of the channels that a system declares: made when it is loaded, removed when it ends.
 * Where their memory is and how events go is different beside and beneath: struct host_channel_ops. What
 * is at Linux's end is a node, /dev/limpet/NAME (node.c), or a network device (network/network.c).
 */
#ifndef HOST_LINUX_CHANNEL_H
#define HOST_LINUX_CHANNEL_H

#include <linux/if_ether.h>
#include <linux/kref.h>
#include <linux/types.h>

/* Neither host.h nor the kernel's: network.c needs Linux's headers with a struct cpu of their own. */
#include <shared/channel/end.h>
#include <limpet/image.h>

struct host_channel;

struct host_channel_ops {
	/* Sets pfn, pages, memory. -ENXIO: the component has not been made yet. May sleep. */
	int (*find)(struct host_channel *c);
	/* An event for the component's side; not after the system has ended. Any context. */
	void (*notify)(struct host_channel *c);
	/*
	 * node_serve() is called soon, by the component's host thread. Any context. NULL: there is none, beneath.
	 */
	void (*serve)(struct host_channel *c);
	/* Times that the owner was stopped: the kernel's word, no claim. Any context. */
	u32 (*stops)(const struct host_channel *c);
	/* Nobody has it any more. */
	void (*release)(struct host_channel *c);
};

struct host_channel {
	struct kref refs;
	const struct host_channel_ops *ops;
	void *of; /* the ops' own */
	/* As in the image: */
	char name[LIMPET_NAME_MAX + 1];
	u32 cpu, number; /* in the system */
	u32 mode, to_linux, to_component, access, mtu;
	u8 mac[ETH_ALEN];

	bool ended;		   /* the system has */
	u32 seen;		   /* notifications and stops that were passed on; beneath */
	struct host_channel *gone; /* the next one that is to be removed */
	/* When it was found: */
	unsigned long pfn, pages;
	void *memory; /* struct limpet_channel_header; NULL: not yet */
	struct limpet_end end;
	/* The other side notified or was stopped, or the system ended. Any context. */
	void (*wake)(struct host_channel *c);
	struct node *node;	 /* node.c's, freed with this */
	struct network *network; /* network.c's */
};

/*
 * Makes what the image, which was checked, declares. 0, or an error, with a line in `error`, and then
 * nothing is made. `get` is called for each channel before it can be opened: for what ops->release gives back.
 */
int host_channels_create(const struct limpet_image *image, const struct host_channel_ops *ops,
			 void *of, void (*get)(void *of), char *error, size_t size);
/* Nothing can be opened from now on, and who has something open is told that it ended. */
void host_channels_destroy(void);
/* What the kernel said of a channel, whether it was declared or not. Any context. */
void host_channel_wake(u32 cpu, u32 number);
/* Of all of which `changed` says so. Any context. */
void host_channels_look(bool (*changed)(struct host_channel *c));
/* What ops->serve has asked for. May sleep. */
void host_channel_serve(u32 cpu, u32 number);

/*
 * Finds the memory, if that was not done, and makes the end ready: not begun. May sleep; called for one
 * channel by one thread at a time. -ENXIO: not yet. -EPROTO: its memory is too small.
 */
int host_channel_find(struct host_channel *c);
void host_channel_get(struct host_channel *c);
void host_channel_put(struct host_channel *c);

/* The owner of a channel that was found, and is not stopped, is one that has been stopped `stops` times. */
static inline bool host_channel_alive(const struct host_channel *c, u32 stops)
{
	u32 generation = LIMPET_CLAIM(c->end.peer->generation);

	return generation >> 16 == ((stops + 1) & 0xffff);
}

/* node.c. Both: process context. After node_create() there is c->node, also if it failed. */
int node_create(struct host_channel *c);
void node_destroy(struct host_channel *c);
/* Carries frames of a TAP device, if there is one. May sleep. */
void node_serve(struct host_channel *c);

/* network/network.c: of mode NETWORK. -EEXIST: there is an interface of this name. */
int network_create(struct host_channel *c);
void network_destroy(struct host_channel *c);

#endif
