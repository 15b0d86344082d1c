/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Channels: memory that a component and Linux share, with an event in each direction. Version 2.
 *
 *   page 0    struct limpet_channel_header
 *   then      mode SHARED: plain memory; other modes: the ring to Linux, then the ring to the component
 *
 * Each side writes one line of the header and one ring, and reads those of the other side. It does
 * not trust what the other side wrote: it copies each word once and checks it against its own
 * knowledge of the channel. The content of a ring is data. Nothing that the other side writes makes
 * this side access memory outside the rings, loop, or wait.
 *
 * A ring contains bytes or messages. `head` counts all bytes ever put into it, `tail` all bytes
 * ever taken out. A message is its length and its bytes, padded to a multiple of 8. It is
 * contiguous: if it would cross the end of the ring, LIMPET_MESSAGE_SKIP is stored there, and the
 * message begins at the start of the ring.
 *
 * A side takes a new generation when it starts, and when it restarts: because its component was
 * restarted, another Linux runs, or it found invalid words. The other side sees the new generation,
 * drops the data in flight in both directions, counts from 0 again, and stores that generation in
 * `seen`. No data move until both sides have seen each other's generation, see
 * limpet_end_connected(). Each side then sends an event, whether or not the other side waits for
 * one. A side that finds its own words changed restarts, too. So a channel that was overwritten
 * works again after both sides have checked it.
 *
 * Sleeping: a side that has nothing to do sets `sleeping`, checks the rings once more, and waits
 * for an event. A side that has put data in or taken data out then reads the other side's
 * `sleeping`, and sends an event only if the other side wants it. No wake-up is lost, because each
 * side executes a full fence between its store and its check.
 */
#ifndef LIMPET_CHANNEL_H
#define LIMPET_CHANNEL_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stdint.h>
#endif

#define LIMPET_CHANNEL_MAGIC 0x6c6e6e68636d696cul
#define LIMPET_CHANNEL_VERSION 2
#define LIMPET_CHANNEL_PAGE 4096ul
#define LIMPET_MESSAGE_SKIP 0xffffffffu
#define LIMPET_MESSAGE_HEADER 8ul
/*
 * Returns the length of the longest message of a ring of `size` bytes. It fits into the empty ring
 * at any position.
 */
#define LIMPET_MESSAGE_MAX(size) ((size) ? (size) / 2 - LIMPET_MESSAGE_HEADER : 0)

enum limpet_channel_mode {
	LIMPET_CHANNEL_MESSAGES = 1,
	LIMPET_CHANNEL_BYTES = 2,
	LIMPET_CHANNEL_SHARED = 3,   /* plain memory and counted events, without rings */
	LIMPET_CHANNEL_NETWORK = 4,  /* messages are Ethernet frames from and to a network device */
	LIMPET_CHANNEL_FIFO = 5,     /* bytes, kept while no process has the node open, see below */
	LIMPET_CHANNEL_ATTACHED = 6, /* memory of another component's channel of mode SHARED */
};

/*
 * Mode FIFO, /dev/rtfN: rings as in mode BYTES, but the component starts without waiting for Linux.
 * It sets `takes` to the number of bytes that each ring may hold, then head and tail to 0, then a
 * new `generation`. Generation 0 means that the FIFO is not created. The component ignores Linux's
 * head and tail until Linux's `seen` is this generation, because Linux has not moved data before.
 * Linux has no generation. It checks for a new one when a process reads, writes, polls or opens the
 * FIFO: it sets its head and tail to 0, then `seen`. If Linux's words are invalid, the component
 * takes a new generation. If the component's words are invalid, the FIFO appears empty or full to
 * Linux.
 */

#define LIMPET_SLEEP_DATA                                                                          \
	1u /* waits until the ring that this side reads has data, or an event comes */
#define LIMPET_SLEEP_SPACE 2u /* waits until the ring that this side writes has space */

/* State of one side. Only this side writes it. */
struct limpet_side {
	uint64_t head;	     /* of the ring that this side writes */
	uint64_t tail;	     /* of the ring that this side reads */
	uint64_t events;     /* number of events that this side has sent */
	uint32_t generation; /* 0: this side has not started */
	uint32_t seen;	     /* generation of the other side to which these words belong */
	uint32_t sleeping;   /* LIMPET_SLEEP_... */
	uint32_t takes; /* mode NETWORK: LIMPET_TAKES_...; FIFO: bytes; set before generation */
	uint32_t opened; /* Linux: odd while a process has the channel open; a change sends an event */
} __attribute__((aligned(64)));

struct limpet_channel_header {
	uint64_t magic;
	uint32_t version;
	uint32_t mode;	       /* enum limpet_channel_mode */
	uint32_t to_linux;     /* bytes of each ring: a power of two, or 0 without a ring. */
	uint32_t to_component; /* In mode SHARED, to_linux is the size of the memory */
	struct limpet_side component;
	struct limpet_side host; /* Linux */
};

/*
 * The memory of a channel stop.INSTANCE of mode SHARED starts with these words. By them a process asks the component to
 * finish its work before its system is stopped: `limpet stop`, or the host process after SIGTERM. It waits at most for a
 * given time. Both sides can write both words at any time, and check them only against 0.
 */
#define LIMPET_STOP_PREFIX "stop."
struct limpet_stop {
	uint32_t ready; /* 1: the component finishes when it is asked; 0: it has finished, or has not started */
	uint32_t asked; /* 1: Linux asks it, and notifies it */
};

_Static_assert(sizeof(struct limpet_side) == 64, "one line");
_Static_assert(sizeof(struct limpet_channel_header) <= LIMPET_CHANNEL_PAGE, "one page");

#endif
