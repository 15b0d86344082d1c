/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A TAP device at the Linux end of a channel of messages, while a process waits in LIMPET_NODE_TAP.
 * Frames are carried here, without a switch to that process. In beside mode the host thread, which
 * also handles the channel's events, carries them. In beneath mode the process carries them in its
 * call.
 */
#ifndef HOST_LINUX_TAP_H
#define HOST_LINUX_TAP_H

#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/wait.h>
#include <limpet/node.h>

struct file;
struct host_channel;

struct tap {
	struct host_channel *channel;
	u32 stops; /* number of stops of the component that the process knows of */
	/* Protects the channel's end while `file` is set, and the following fields: */
	struct mutex lock;
	struct file *file; /* NULL: no frames are carried */
	bool link;	   /* both sides have seen each other */
	bool full;	   /* the ring had no space for a frame */
	int error;	   /* error of the device, after which no frames are carried */

	bool due; /* beneath mode: frames or events have arrived */
	wait_queue_head_t caller;
	/*
	 * Entry in the device's wait queue, as for poll(). Linux calls it when frames have arrived.
	 */
	poll_table poll;
	wait_queue_entry_t entry;
	wait_queue_head_t *queue; /* NULL: it is not in a queue */
};

void tap_init(struct tap *tap, struct host_channel *channel);
/*
 * Executes LIMPET_NODE_TAP. `argument` is a copy of the caller's. tap->stops is set, and no other
 * code may use the channel's end until it returns. May sleep without limit. On return the argument
 * has another descriptor.
 */
long tap_carry(struct tap *tap, struct limpet_node_tap *argument);
/*
 * Wakes the carrier, because frames may have arrived, the component was stopped, or the system has
 * ended. Any context.
 */
void tap_wake(struct tap *tap);
/*
 * Carries at most 64 frames in each direction, and requests another call if frames are left. May
 * sleep.
 */
void tap_serve(struct tap *tap);

#endif
