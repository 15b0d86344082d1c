/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Joins a channel and a topic, in one direction, for one row of the table.
 *
 * A link holds at most one message that the other side has not accepted, and reads the next message only after that. So
 * a full channel delays the publishers of a reliable topic with history keep_all, and slow subscribers fill the
 * channel. A link with history keep_all publishes no message while its topic has no subscriber, unless the component
 * has stopped.
 */
#ifndef CLI_BRIDGE_LINK_H
#define CLI_BRIDGE_LINK_H

#include <cli/command/bridge/layout.h>
#include <cli/command/bridge/port.h>

/* Counts of a link since the start. */
struct link_count {
	uint64_t passed;  /* messages */
	uint64_t refused; /* messages or samples that do not fit the table */
	uint64_t alone;	  /* messages that were published without a subscriber */
	uint64_t lost;	  /* samples that DDS reported as lost on their way to the bridge */
};

struct link {
	const struct row *row;
	struct port *port;
	struct layout layout;
	dds_entity_t end;   /* the writer or reader */
	void (*wake)(void); /* called by threads of DDS */
	void *message;	    /* row->size + 1 bytes, to detect a longer message */
	void *sample;
	bool pending;	   /* the other side has not accepted the message yet */
	bool acknowledged; /* link_finish(): no sample was in flight at the end */
	uint32_t peers, arrivals, incompatible; /* numbers of DDS */
	struct link_count count;
};

/*
 * Creates the topic and its writer or reader. The link must keep its address. Threads of DDS call wake() when the link
 * can have something to do. Reports an error and returns false if DDS refuses the topic.
 */
bool link_make(struct link *link, struct row *row, struct port *port, dds_entity_t participant,
	       void (*wake)(void));

/* Passes a bounded number of messages on. Returns whether more messages may be ready now. */
bool link_pass(struct link *link);

/* Reports subscribers or publishers that have come or left, and samples that DDS has lost. */
void link_look(struct link *link);

/* Returns whether the link has a message that slow subscribers did not accept. No event of poll() follows. */
bool link_throttled(const struct link *link);

/* Returns the event of poll() that the link waits for: POLLIN, POLLOUT or 0. */
short link_events(const struct link *link);

/*
 * Ends the link, at the latest at time `end`. Passes on the messages that the link and its reader hold, and waits until
 * subscribers have acknowledged all samples. Reports messages that may be lost.
 */
void link_finish(struct link *link, dds_time_t end);

#endif
