/* SPDX-License-Identifier: GPL-2.0 */
/* Replaces a component of a running system by the build in another image of the same system. */
#ifndef CLI_UPDATE_H
#define CLI_UPDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cli/common/image.h>

/*
 * Compares the records of the running system with another image. Returns true if only the code, constants and data of
 * component `index` differ. Otherwise it describes the first difference in `why`.
 */
bool images_match(const struct image *running, const struct image *next, unsigned int index,
		  char *why, size_t size);
/*
 * Returns the name of a channel to the update interface of a component's supervisor, or NULL. The channel belongs to
 * the component that calls the supervisor for Linux.
 */
const char *update_channel(const struct image *image, unsigned int index);

/* Parameters and result of an update. */
struct update {
	const struct image *image; /* image with the new build */
	unsigned int index;
	bool fresh;
	unsigned int timeout; /* time limit of each call, in ms */
	uint64_t closed;      /* ticks for which the component served no calls */
	uint64_t kept;	      /* bytes of its state that were kept */
	long error;	      /* LIMPET_E... if the component could not be initialised */
};

/*
 * Sends the build through the channel and applies it. Returns enum limpet_update_outcome, or a negative status for
 * limpet_call_text(). If the channel cannot be opened, it sets *error to a negative errno.
 */
long update_send(struct update *update, const char *channel, int *error);

/* Writes the result of an update as a line of JSON. `us` is the time in which the component served no calls. */
void update_print_json(FILE *out, const char *component, const struct update *update, double us);

#endif
