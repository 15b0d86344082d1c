/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Linux's ends of a system's channels. The system file declares channels. Each console and each supervisor has one
 * more. host_channels_create() makes all of them when the system is loaded. Linux's end is a node, /dev/limpet/NAME
 * (node.c), or a network device (network/network.c). struct host_channel_ops has what depends on the mode.
 */
#ifndef HOST_LINUX_CHANNEL_H
#define HOST_LINUX_CHANNEL_H

#include <linux/if_ether.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

/*
 * host.h and the kernel's headers are not included here, because network.c needs Linux's headers,
 * which have another struct cpu.
 */
#include <shared/channel/end.h>
#include <limpet/image.h>

struct host_channel;

struct host_channel_ops {
	/* Sets pfn, pages, memory. -ENXIO: the component has not been made yet. May sleep. */
	int (*find)(struct host_channel *channel);
	/* Sends an event to the component's side. Must not be called after the system has ended. Any context. */
	void (*notify)(struct host_channel *channel);
	/* Returns the address of the kernel's count of the owner's stops. */
	const u32 *(*stops)(const struct host_channel *channel);
	/* Undoes find(). Called once, after the last use of the memory. NULL: nothing to undo. */
	void (*release)(struct host_channel *channel);
};

/* The channels of a system, from its load until they are destroyed. */
struct host_channels {
	struct rcu_head rcu;
	struct list_head list;
	u32 cpus;
	u32 seen[LIMPET_CPUS_MAX]; /* beneath mode: number of handled notifications of each CPU */
	bool ended;
	/*
	 * By CPU and number, at cpu * CHANNELS_MAX + number. NULL: the channel does not exist, or
	 * has ended.
	 */
	struct host_channel __rcu *at[];
};

struct host_channel {
	struct kref refs;
	struct rcu_head rcu;
	struct host_channels *channels; /* channels of its system, until they are destroyed */
	struct list_head list;
	const struct host_channel_ops *ops;
	void *of; /* data of the ops */
	/* Copied from the image: */
	char name[LIMPET_NAME_MAX + 1];
	u32 cpu, number; /* CPU of the system, and number of the channel there */
	u32 mode, to_linux, to_component, access, mtu;
	u8 mac[ETH_ALEN];

	bool ended;	  /* the system has ended: see host_channel_hold() */
	const u32 *stops; /* see host_channel_stops() */
	/* Fields that are set when the channel's memory is found: */
	unsigned long pfn, pages;
	void *memory; /* struct limpet_channel_header; NULL: not found yet */
	struct limpet_end end;
	/* Called after the other side notified or was stopped, or the system ended. Any context. */
	void (*wake)(struct host_channel *channel);
	struct node *node;	 /* node of node.c, freed with this structure */
	struct network *network; /* device of network.c */
};

/* node_create.c: at attach, before the first channel, and at detach. */
int host_channels_init(void);
void host_channels_exit(void);
/*
 * Makes the channels of a checked image. `id` is that of the system. Returns them, or an ERR_PTR and a line in `error`;
 * no channel exists then. The mode serialises the calls that create, end and destroy.
 */
struct host_channels *host_channels_create(const struct limpet_image *image, u32 id,
					   const struct host_channel_ops *ops, void *of,
					   char *error, size_t size);
/*
 * Removes nodes and network devices after the system has ended, and wakes all waiters with EPIPE. Open files stay
 * open, and mapped memory stays. Does nothing for channels that were ended before.
 */
void host_channels_end(struct host_channels *channels);
/* Ends the channels, replaces mapped memory by zeroed pages, and frees the channels. Files can still stay open. */
void host_channels_destroy(struct host_channels *channels);
/* Wakes Linux's end of a channel, if it exists. Any context. */
void host_channel_wake(struct host_channels *channels, u32 cpu, u32 number);

/*
 * Finds the memory, if that was not done, and prepares the end without starting it. May sleep. Only
 * one thread at a time may call it for a channel. Returns 0. -ENXIO: the component has not made the
 * channel yet. -EPROTO: the memory is too small.
 */
int host_channel_find(struct host_channel *channel);
void host_channel_put(struct host_channel *channel);

/*
 * Keeps the channel's memory and its system until host_channel_let_go(). Returns false if the system has ended; the
 * caller then must not let go. Any context. Preemption is disabled in between. A holder of node->lock or tap->lock
 * needs no hold if it checked `ended` under the lock, because `ended` is set under both.
 */
static inline bool host_channel_hold(const struct host_channel *channel)
{
	rcu_read_lock_sched(); /* rcu_read_lock() costs more */
	if (likely(!READ_ONCE(channel->ended)))
		return true;
	rcu_read_unlock_sched();
	return false;
}

static inline void host_channel_let_go(void)
{
	rcu_read_unlock_sched();
}

/* Returns how often the owner was stopped, as the kernel counts. The caller holds the channel. */
static inline u32 host_channel_stops(const struct host_channel *channel)
{
	return READ_ONCE(*channel->stops);
}

/* Sends the component an event, unless the system has ended. Any context. */
static inline void host_channel_notify(struct host_channel *channel)
{
	if (!host_channel_hold(channel))
		return;
	channel->ops->notify(channel);
	host_channel_let_go();
}

/* Returns true if the system has ended, or the owner was not stopped exactly `stops` times. Any context. */
static inline bool host_channel_closed(const struct host_channel *channel, u32 stops)
{
	bool closed = true;

	if (host_channel_hold(channel)) {
		closed = host_channel_stops(channel) != stops;
		host_channel_let_go();
	}
	return closed;
}

/* Returns true if the other end belongs to the owner's life after `stops` stops. The caller holds the channel. */
static inline bool host_channel_alive(const struct host_channel *channel, u32 stops)
{
	u32 generation = LIMPET_CLAIM(channel->end.peer->generation);

	return generation >> 16 == ((stops + 1) & 0xffff);
}

/*
 * node_create.c. Process context. A failed node_create() can leave channel->node, which host_channel_put() frees. -EEXIST: a channel
 * of another system has the name.
 */
int node_create(struct host_channel *channel);
/* Removes the node and sets channel->ended. The memory is unused after an RCU grace period, but for mappings. */
void node_end(struct host_channel *channel);
/* node_map.c: replaces mapped memory by a zeroed page. Called after node_end(). */
void node_unmap(struct node *node);

/* network/network.c: of mode NETWORK. -EEXIST: there is an interface of this name. */
int network_create(struct host_channel *channel);
/* Removes all network devices of the channels. */
void networks_destroy(struct host_channels *channels);
extern struct notifier_block network_changes; /* follows changes of all network devices */

#endif
