/* SPDX-License-Identifier: GPL-2.0 */
/* The offers of `limpet proxy`: a file, a folder or a serial port, with a name. */
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
	const char *name; /* name in the text of the offer */
	size_t length;
	const char *path;
	uint32_t rights; /* LIMPET_FILES_READ, _WRITE */
	enum offer_kind kind;
	int fd; /* descriptor of a folder or serial port; else -1 */
};

/*
 * Creates an offer from "NAME=ACCESS:PATH", where ACCESS is r, w or rw; a serial port can also have
 * ",SPEED". `text` must stay valid as long as the offer. Returns false with a reason in `error`.
 */
bool offer_make(struct offer *offer, const char *text, char *error, size_t size);
/*
 * Opens the file of an offer that the rest of a name selects: "" for the offer itself, without
 * leading slash. Returns a descriptor or a negative LIMPET_E... Links and parts of the name cannot
 * lead out of a folder.
 */
int offer_open(const struct offer *offer, const char *rest, uint32_t how);
void offer_end(struct offer *offer);
/* Returns the LIMPET_E... for an errno. */
int offer_status(int error);

#endif
