/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asks components to finish before their system is stopped: those that own a channel stop.INSTANCE, <limpet/channel.h>. The
 * last one of the system file is asked first, and each one after the previous one has finished.
 */
#ifndef CLI_FINISH_H
#define CLI_FINISH_H

#include <stdbool.h>

#include <cli/common/snapshot.h>
#include <client/channel.h>

#define STOP_GRACE 5 /* default time in seconds that components have to finish */

struct finish {
	/* Set by the caller: gets a line about a component that has not finished, and `to`. */
	void (*say)(void *to, const char *line);
	void *to;
	int fd;			  /* of the device */
	struct snapshot snapshot; /* of the system */
	unsigned int left;  /* channels of the image, from the first one, that were not looked at */
	double from, until; /* seconds of the monotonic clock */
	unsigned int component;	       /* index of the component that was asked */
	const char *name;	       /* of that component; NULL: none was asked */
	struct limpet_channel channel; /* of that component */
};

/*
 * Starts with the system of a descriptor of the device, which has `seconds` to finish. If the system cannot be read, no
 * component is asked. finish_end() must follow.
 */
void finish_begin(struct finish *finish, int fd, long seconds);
/*
 * Asks components until one has not finished yet. Does not wait. Returns true if all have finished, or the time is over; then
 * `say` has got a line for each component that has not. After false, call it again within some milliseconds.
 */
bool finish_step(struct finish *finish);
/* Returns the seconds since finish_begin(). */
double finish_seconds(const struct finish *finish);
void finish_end(struct finish *finish);

#endif
