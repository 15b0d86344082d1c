/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A TAP device at the Linux end of a channel of messages, for as long as a process waits in LIMPET_NODE_TAP:
 * frames are carried here, without a switch to that process, as those of a socket are. Beside it is the host
 * thread that carries them, which takes the channel's events, too; beneath the process does, in its call.
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
	u32 stops; /* of the component, that the process knows of */
	/* Covers the channel's end while there is a file, and: */
	struct mutex lock;
	struct file *file; /* NULL: nothing is carried */
	bool link;	   /* both sides have seen each other */
	bool full;	   /* there was no room for a frame */
	int error;	   /* of the device: no more is carried */

	bool due; /* beneath: something came */
	wait_queue_head_t caller;
	/* Linux's word that frames have come, as poll() hears it: */
	poll_table poll;
	wait_queue_entry_t entry;
	wait_queue_head_t *queue; /* NULL: it is in none */
};

void tap_init(struct tap *tap, struct host_channel *channel);
/*
 * LIMPET_NODE_TAP, whose argument was copied here. tap->stops is set, and nobody else uses the channel's end
 * until this returns. May sleep, for ever. The descriptor in the argument is another one on return.
 */
long tap_carry(struct tap *tap, struct limpet_node_tap *argument);
/* Tells the carrier that frames can have come, or that the component was stopped, or the system ended. Any context. */
void tap_wake(struct tap *tap);
/* Carries what has come, at most 64 frames each way, and asks to be called again if there is more. May sleep. */
void tap_serve(struct tap *tap);

#endif
