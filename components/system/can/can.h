/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The component can: queues between components and a channel to `limpet proxy`. Callers' threads use only the queues.
 * The component's own thread is the only one that uses the channel, so Linux cannot delay a caller. One mutex protects
 * all state. It is held for one frame at a time.
 */
#ifndef CAN_CAN_H
#define CAN_CAN_H

#include <channel/channel.h>
#include <limpet/can.h>
#include <sync/mutex.h>

#define QUEUE 64    /* frames to the bus */
#define LISTENERS 8 /* components that have filters */
#define FILTERS 8   /* filters of each */
#define FRAMES 64   /* queue of each */
#define CAN_KICK                                                                                   \
	1ul /* event to the component's own thread: the queue has a frame, or one was lost */

/* State of all parts; state.c. */
struct can {
	struct mutex lock;
	uint32_t peer; /* generation of Linux's side of the channel; 0: no proxy has it open */
	enum limpet_can_state state;
	struct limpet_can_status status;      /* the proxy's last message */
	struct limpet_can_frame queue[QUEUE]; /* frames to the bus; a ring */
	uint32_t first, count;
	uint64_t sent, received, errors;
	uint64_t unsent, failed, missed;
};

extern struct can can;

/* --- listener.c. The caller holds the mutex. */

struct filter {
	uint32_t id, mask;
};

struct listener {
	word badge; /* badge of the component; 0: the record is free */
	struct filter filter[FILTERS];
	uint32_t filters;
	struct limpet_can_frame frame[FRAMES]; /* a ring; `time` is that of the arrival */
	uint32_t first, count;
	uint64_t lost;
	uint32_t waiters; /* threads in receive */
	bool arrived;	  /* the waiters must be resumed; only for the component's own thread */
};

/* Returns the listener with this badge; NULL: it has no filter. */
struct listener *listener_find(word badge);
/* Adds a filter. EFULL: the listener has FILTERS, or there are LISTENERS. */
long listener_add(word badge, struct filter filter);
/* Frees the record, unless it has filters, or a thread waits in receive. */
void listener_free(struct listener *listener);
/* Removes all filters and frames. The last thread that waits in receive frees the record. */
void listener_clear(struct listener *listener);
/* Puts a frame into the queues of all listeners with a filter that matches. Counts a frame that finds a queue full. */
void listeners_put(const struct limpet_can_frame *frame);
/* Takes the oldest frame. Returns false without a frame. */
bool listener_take(struct listener *listener, struct limpet_can_frame *frame);
/* Resumes the threads that wait for frames that have arrived. The caller does not hold the mutex. */
void listeners_resume(void);

/* --- bus.c: the queue to the bus, and the channel */

/* Appends a frame to the queue. Errors: those of send() in interfaces/can. The caller holds the mutex. */
long bus_queue(const struct limpet_can_frame *frame);

/*
 * Moves frames between the queues and the channel until no frame can be moved, or TURN messages have arrived. Context:
 * the component's own thread, without the mutex.
 */
void bus_turn(struct limpet_channel *channel);

#endif
