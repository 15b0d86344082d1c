/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asks components to finish before their system is stopped: those that own a channel stop.INSTANCE,
 * <limpet/channel.h>. The last one of the system file is asked first, and each one after the previous one has finished
 * or has used up its share of the time. A component can also finish later, until the time of the system is over.
 */
#ifndef CLI_FINISH_H
#define CLI_FINISH_H

#include <stdbool.h>

#include <cli/common/snapshot.h>
#include <client/channel.h>

#define STOP_GRACE 5 /* default time in seconds that components have to finish */

/* A component that was asked. */
struct finish_owner {
	unsigned int component; /* index */
	const char *name;
	struct limpet_channel channel;
};

struct finish {
	/* Set by the caller: gets a line about a component that has not finished, and `to`. */
	void (*say)(void *to, const char *line);
	void *to;
	int fd;			  /* descriptor of the device */
	struct snapshot snapshot; /* id of the system */
	unsigned int left; /* channels of the image, from the first one, that were not looked at */
	unsigned int unasked;	     /* channels stop.INSTANCE among them */
	double from, until;	     /* seconds of the monotonic clock */
	double next;		     /* time to ask the next component */
	unsigned int asked;	     /* components that were asked and have not finished */
	struct finish_owner *owners; /* these, in the order of the requests */
};

/*
 * Starts with the system of a descriptor of the device, which has `seconds` to finish. If the system cannot be read, no
 * component is asked. finish_end() must follow.
 */
void finish_begin(struct finish *finish, int fd, long seconds);
/*
 * Asks components that can be asked now. Does not wait. Returns true if all have finished, or the time is over. `say`
 * has then got a line for each component that has not finished. After false, call it again within some milliseconds.
 * `owners` then has at least one component.
 */
bool finish_step(struct finish *finish);
/* Returns the seconds since finish_begin(). */
double finish_seconds(const struct finish *finish);
void finish_end(struct finish *finish);

#endif
