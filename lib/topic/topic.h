/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends and receives messages, for components that import an instance of `mqtt` under the name topic. Two threads must not use
 * a topic at the same time. The functions return the errors of interfaces/topic.
 */
#ifndef TOPIC_TOPIC_H
#define TOPIC_TOPIC_H

#include <runtime/component.h>

#define TOPIC_MESSAGE_MAX 256 /* bytes */
#define TOPIC_PUT 32	      /* bytes of an invocation of put() */
#define TOPIC_PEEK 24	      /* bytes of an invocation of peek() */

/* Returns the number of the topic with this name in the system file, or LIMPET_ENOENT. */
long topic_open(const char *name);

/*
 * Copies a message of up to TOPIC_MESSAGE_MAX bytes into the topic's queue, without waiting. EFULL: the queue is full, and the
 * message counts as lost. Cost: an invocation for each 32 bytes, and one more.
 */
long topic_send(long topic, const void *data, size_t length);

/*
 * Waits for a message until a time stamp, copies at most `size` bytes of it, removes it from the queue, and returns its length.
 * ETIME: no message has arrived. Cost: an invocation for each 24 bytes, and one or two more.
 */
long topic_receive(long topic, void *to, size_t size, uint64_t deadline);

#endif
