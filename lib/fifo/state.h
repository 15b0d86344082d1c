/* SPDX-License-Identifier: BSD-2-Clause */
/* State of the component's FIFOs. Only lib/fifo includes this. */
#ifndef FIFO_STATE_H
#define FIFO_STATE_H

#include <channel/end.h>
#include <fifo/fifo.h>
#include <runtime/component.h>
#include <sync/mutex.h>

struct fifo {
	struct mutex mutex;
	struct limpet_end end;	/* generation 0: the FIFO is not created */
	uint32_t last;		/* generation before */
	unsigned int number;	/* of the device, /dev/rtf<number> */
	word slot;		/* of the channel */
	uint64_t max, size;	/* bytes that the system file gives; that it was created with */
	struct fifo *put_into;	/* in a user pair: the FIFO that takes what is put into this one */
	struct fifo *reads_for; /* in a user pair: the FIFO that Linux's reads count for */
	bool ignored;		/* fifo_wait() does not return it */
	/* Linux's words that fifo_wait() has returned. Only the service thread uses them. */
	uint32_t reported;
	uint64_t reported_head, reported_tail;
};

/* --- find.c */

/* Returns the FIFO of a number, or NULL if the system file does not give it to the component. */
struct fifo *fifo_of(unsigned int number);

/* Events at the component's endpoint that come from its FIFOs. Set by the first fifo_of(). */
extern word fifos_events;

/* --- wait.c */

/*
 * Must be called after the FIFO was created or destroyed, and after a change of `ignored` or of its pair. Asks Linux for the
 * events that fifo_wait() now needs if the service thread waits. The caller has the FIFO's lock.
 */
void fifo_wants_changed(struct fifo *fifo);

/* Linux's words, if it has taken notice of this generation, else 0. The words belong to Linux: any value. */
static inline uint64_t fifo_claim(const struct fifo *fifo, uint32_t generation,
				  const uint64_t *claimed)
{
	return LIMPET_CLAIM(fifo->end.peer->seen) == generation ? LIMPET_CLAIM(*claimed) : 0;
}

#endif
