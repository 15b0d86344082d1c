/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of Linux for components: what component `files` asks and `limpet proxy` answers, by messages of a
 * channel. Version 1.
 *
 * Names are OFFER or OFFER/PATH. A handle is the proxy's; it lasts until CLOSE, or until one of both sides
 * begins anew: a proxy says so by an answer BEGIN that nobody asked for. Requests are answered once, in any
 * order. Either side checks each field of what the other one wrote, in a copy.
 */
#ifndef LIMPET_FILES_H
#define LIMPET_FILES_H

#include <stdint.h>

#define LIMPET_FILES_DATA 4096u	 /* bytes of one READ or WRITE, at most */
#define LIMPET_FILES_NAME 255u	 /* bytes of a name, at most; and 1 at least */
#define LIMPET_FILES_WAIT 10000u /* ms that a READ waits for a serial port, at most */
#define LIMPET_FILES_OFFER 24u	 /* letters of an offer's name, at most */

/* How a file is opened. */
#define LIMPET_FILES_READ 1u
#define LIMPET_FILES_WRITE 2u
#define LIMPET_FILES_CREATE 4u	 /* if it is not there; with WRITE */
#define LIMPET_FILES_TRUNCATE 8u /* to nothing; with WRITE */
#define LIMPET_FILES_APPEND 16u	 /* each write goes to its end; with WRITE */
#define LIMPET_FILES_FLAGS 31u

enum limpet_files_what {
	LIMPET_FILES_OPEN = 1,
	LIMPET_FILES_GET = 2,
	LIMPET_FILES_PUT = 3,
	LIMPET_FILES_SIZE = 4,
	LIMPET_FILES_CLOSE = 5,
	LIMPET_FILES_BEGIN = 6, /* the proxy alone */
};

/* Behind it: OPEN: the name, PUT: the data; `length` bytes. */
struct limpet_files_request {
	uint64_t id;	   /* comes back */
	uint32_t what;	   /* enum limpet_files_what */
	uint32_t handle;   /* OPEN: 0 */
	uint64_t position; /* GET, PUT: in the file; a serial port has none */
	uint32_t length;   /* bytes: of the name, of the data, or at most to get */
	uint32_t argument; /* OPEN: how; GET: ms to wait for a serial port's first byte */
};

/* Behind it: GET: the data, `status` bytes. */
struct limpet_files_answer {
	uint64_t id;	   /* of the request; BEGIN: 0 */
	uint32_t what;	   /* the same */
	uint32_t reserved; /* 0 */
	int64_t status;	   /* 0 or more: GET, PUT: bytes; else a LIMPET_E... */
	uint64_t value;	   /* OPEN: the handle, SIZE: bytes; else 0 */
};

_Static_assert(sizeof(struct limpet_files_request) == 32, "no gaps");
_Static_assert(sizeof(struct limpet_files_answer) == 32, "no gaps");

#endif
