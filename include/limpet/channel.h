/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Channels: memory that a component and Linux share, with an event each way. Version 2.
 *
 *   page 0    struct limpet_channel_header
 *   then      mode SHARED: plain memory; else the ring to Linux, then the ring to the component
 *
 * Each side writes one line of the header and one ring, and reads the other's. What the other side wrote
 * is a claim: it is copied once and bounded by what this side knows itself, and content is data. Nothing
 * that the other side writes makes this side touch memory outside the rings, loop, or wait.
 *
 * A ring holds bytes, or messages. `head` counts the bytes ever put into it, `tail` those taken out;
 * a message is a length and its bytes, padded to 8, and lies in one piece: where it would reach beyond
 * the end of the ring, LIMPET_MESSAGE_SKIP stands, and it begins at the ring's start.
 *
 * A side that begins, or begins anew (its component was restarted, another Linux runs, it found nonsense),
 * takes a new generation; the other side sees that, drops what was under way both ways, counts from 0, too,
 * and says so in `seen`. Nothing moves until both have seen each other: limpet_end_connected(). Each sends
 * an event then, whatever the other waits for. A side that finds its own words changed begins anew, too:
 * thus a channel that was written over works again as soon as both sides have looked.
 *
 * Sleeping: who finds nothing to do says so in `sleeping`, looks once more, and waits for an event; who has
 * put something in or taken something out then looks at the other's `sleeping`, and sends an event only if
 * it is wanted. One of the two always sees the other: both look after a full fence.
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
/* The longest message of a ring of so many bytes: wherever the ring stands, it fits when it is empty. */
#define LIMPET_MESSAGE_MAX(size) ((size) ? (size) / 2 - LIMPET_MESSAGE_HEADER : 0)

enum limpet_channel_mode {
	LIMPET_CHANNEL_MESSAGES = 1,
	LIMPET_CHANNEL_BYTES = 2,
	LIMPET_CHANNEL_SHARED = 3,   /* no ring: plain memory and counted events */
	LIMPET_CHANNEL_NETWORK = 4,  /* messages are Ethernet frames, of and for a network device */
	LIMPET_CHANNEL_FIFO = 5,     /* bytes, kept while no process has the node open: see below */
	LIMPET_CHANNEL_ATTACHED = 6, /* memory of another component's channel of mode SHARED */
};

/*
 * Mode FIFO, /dev/rtfN: rings as in mode BYTES, but the component needs no word of Linux before it starts. It sets
 * `takes` to the bytes that each ring may hold, then head and tail to 0, then a new `generation`. Generation 0 means
 * that the FIFO is not created. The component ignores Linux's head and tail until Linux's `seen` is this generation,
 * because Linux has then moved nothing. Linux has no generation. It takes notice of a new one when a process reads,
 * writes, polls or opens: it sets its head and tail to 0, then `seen`. Invalid words of Linux make the component take a
 * new generation. Invalid words of the component make the FIFO look empty or full.
 */

#define LIMPET_SLEEP_DATA                                                                          \
	1u /* until the ring that this side reads has something, or an event comes */
#define LIMPET_SLEEP_SPACE 2u /* until the ring that this side writes has room */

/* What one side says. Nobody else writes it. */
struct limpet_side {
	uint64_t head;	     /* of the ring that this side writes */
	uint64_t tail;	     /* of the ring that this side reads */
	uint64_t events;     /* that it ever sent */
	uint32_t generation; /* 0: it has not begun */
	uint32_t seen;	     /* generation of the other side that all this belongs to */
	uint32_t sleeping;   /* LIMPET_SLEEP_... */
	uint32_t takes; /* mode NETWORK: LIMPET_TAKES_...; FIFO: bytes; said before generation */
	uint32_t opened; /* Linux's: odd while a process has the channel open; the component is told */
} __attribute__((aligned(64)));

struct limpet_channel_header {
	uint64_t magic;
	uint32_t version;
	uint32_t mode;	       /* enum limpet_channel_mode */
	uint32_t to_linux;     /* bytes of each ring, powers of two, or 0: none; */
	uint32_t to_component; /* mode SHARED: to_linux is the size of the memory */
	struct limpet_side component;
	struct limpet_side host; /* Linux */
};

_Static_assert(sizeof(struct limpet_side) == 64, "one line");
_Static_assert(sizeof(struct limpet_channel_header) <= LIMPET_CHANNEL_PAGE, "one page");

#endif
