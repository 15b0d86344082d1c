/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A TAP device at the Linux end of a channel of messages, while a process waits in LIMPET_NODE_TAP. The process carries
 * frames in its call, at its own priority. The host thread must not carry them, because the owner of the device decides
 * how long Linux takes for a frame.
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
	u32 stops;	   /* number of stops of the component that the process knows of */
	struct mutex lock; /* held while the channel's end is used */
	/* Fields of the caller: */
	struct file *file;
	bool link; /* both sides have seen each other */
	bool full; /* the ring had no space for a frame */
	int error; /* error of the device, after which no frames are carried */

	bool due;		    /* frames or events have arrived */
	struct task_struct *caller; /* NULL: no thread is in the call */
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
 * Wakes the caller, because frames may have arrived, the component was stopped, or the system has
 * ended. Any context.
 */
void tap_wake(struct tap *tap);

#endif
