/* SPDX-License-Identifier: GPL-2.0 */
/* What `limpet proxy` offers: a file, a folder, or a serial port, under a name. */
#ifndef CLI_PROXY_OFFER_H
#define CLI_PROXY_OFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum offer_kind {
	OFFER_FILE,
	OFFER_FOLDER,
	OFFER_SERIAL,
};

struct offer {
	const char *name; /* in the text that it was made of */
	size_t length;
	const char *path;
	uint32_t rights; /* LIMPET_FILES_READ, _WRITE */
	enum offer_kind kind;
	int fd; /* of folder and serial port; else -1 */
};

/*
 * Makes an offer of "NAME=ACCESS:PATH", where ACCESS is r, w or rw, for a serial port also with ",SPEED".
 * `text` must live as long as the offer. False: a line in `error` says why.
 */
bool offer_make(struct offer *offer, const char *text, char *error, size_t size);
/*
 * Opens what is meant by the part of a name behind the offer's, "" for the offer itself, without leading
 * slash. Returns a descriptor or a negative LIMPET_E... No link, and no part of the name, leads out of a folder.
 */
int offer_open(const struct offer *offer, const char *rest, uint32_t how);
void offer_end(struct offer *offer);
/* The LIMPET_E... for an errno. */
int offer_status(int error);

#endif
