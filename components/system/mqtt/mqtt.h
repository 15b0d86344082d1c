/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The component mqtt: queues of messages between client components and a broker. All code runs with the lock of
 * net/core.c held. Clients' calls run on their threads, frames on the component's own thread, and lwIP's timers on the
 * spare thread.
 *
 *	serve.c    calls of clients: queues
 *	session.c  the connection to the broker: passes messages between the queues and lwIP's client
 *	stream.c   cuts the broker's bytes into whole packets for lwIP's client
 */
#ifndef MQTT_MQTT_H
#define MQTT_MQTT_H

#include <net.h>
#include <topic/topic.h>

#define TOPICS 16
#define TOPIC_NAME 24 /* characters */
#define QUEUE 16      /* messages of each topic */

struct message {
	uint32_t length;
	char data[TOPIC_MESSAGE_MAX];
};

struct topic {
	char name[TOPIC_NAME + 1];
	const char *path;   /* topic of the broker; NULL: the record is free */
	uint32_t component; /* index of the client component */
	bool publish, retain;
	uint8_t qos;
	struct message draft; /* the client is writing it */
	struct message queue[QUEUE];
	uint32_t first, count; /* the queue is a ring */
	uint32_t sent; /* published: the oldest messages, which lwIP has and the broker has not acknowledged */
	uint64_t passed, lost;
	uint64_t lost_before; /* `lost` when losses were last reported */
	struct event event;   /* a message has arrived, or the queue has space */
};

/* --- queue.c. The caller holds the lock. */

extern struct topic topics[TOPICS];

/* Appends a message, or counts it as lost if it is too long or the queue is full. Returns LIMPET_OK or LIMPET_EFULL. */
long queue_add(struct topic *topic, const void *data, uint32_t length);
/* Returns message `index` of the queue, 0 for the oldest. */
struct message *queue_at(struct topic *topic, uint32_t index);
/* Removes the oldest message and wakes the threads that wait for space. */
void queue_remove(struct topic *topic);
/* Handles the end of the connection. Messages of qos 0 that lwIP had are lost. Those of qos 1 are sent again. */
void queue_reset(struct topic *topic);

/* --- session.c */

/* Reads the broker's address and the credentials. The first connection is made when the timers run. */
long session_setup(const struct limpet_info *info);
bool session_connected(void);
/* Passes messages of all queues to lwIP until it accepts no more. */
void session_push(void);

/* --- stream.c */

struct mqtt_client_s;
/* Intercepts the data between TCP and lwIP's client, which has just started to connect. */
void stream_begin_packets(struct mqtt_client_s *client);

#endif
