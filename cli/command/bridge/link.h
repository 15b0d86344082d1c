/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Joins a channel and a topic, in one direction, for one row of the table.
 *
 * A message is taken from one side only when the other side can be expected to take it, and stays in the link until
 * then. So a full channel delays the publishers of a reliable topic with history keep_all, and slow subscribers fill
 * the channel. A link with history keep_all takes no message from its channel while its topic has no subscriber, unless
 * the component has stopped.
 */
#ifndef CLI_BRIDGE_LINK_H
#define CLI_BRIDGE_LINK_H

#include <cli/command/bridge/layout.h>
#include <cli/command/bridge/port.h>

/* What is counted since the start. */
struct link_count {
	uint64_t passed;  /* messages */
	uint64_t refused; /* messages or samples that do not fit the table */
	uint64_t alone;	  /* messages that were published while there was no subscriber */
	uint64_t lost;	  /* samples that DDS reported as lost before they arrived here */
};

struct link {
	const struct row *row;
	struct port *port;
	struct layout layout;
	dds_entity_t end; /* the writer or reader */
	void *message;	  /* row->size + 1 bytes, so that a longer message is noticed */
	void *sample;
	bool pending;	   /* there is a message that the other side has not taken */
	bool acknowledged; /* link_finish(): no sample was in flight at the end */
	uint32_t peers, arrivals, incompatible; /* as DDS counts them */
	struct link_count count;
};

/*
 * Creates topic, and writer or reader. DDS calls wake(argument) on its own threads when there is something to do for
 * the link. Returns false after it has reported the error.
 */
bool link_make(struct link *link, struct row *row, struct port *port, dds_entity_t participant,
	       void (*wake)(void *argument), void *argument);

/* Passes messages on, a bounded number. Returns whether there may be more that can be passed now. */
bool link_pass(struct link *link);

/* Reports which subscribers or publishers have come or left, and what DDS has lost. */
void link_look(struct link *link);

/* Returns whether the link waits for messages of its channel, or for space there. */
short link_events(const struct link *link);

/*
 * Ends the link: passes the pending message on, and waits until subscribers have acknowledged all samples, at most
 * `timeout`.
 */
void link_finish(struct link *link, dds_duration_t timeout);

#endif
