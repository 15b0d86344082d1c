/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of Linux for components: the requests of component `files` and the answers of `limpet
 * proxy`, as messages of a channel. Version 1.
 *
 * Names are OFFER or OFFER/PATH. The proxy assigns the handles. A handle is valid until CLOSE, or
 * until one side restarts. A proxy that restarts sends an answer BEGIN without a request. Each
 * request gets one answer; the order is not defined. Each side copies a message of the other side
 * and checks each field of the copy.
 */
#ifndef LIMPET_FILES_H
#define LIMPET_FILES_H

#include <stdint.h>

#define LIMPET_FILES_DATA 4096u	  /* maximum number of bytes of one GET or PUT */
#define LIMPET_FILES_NAME 255u	  /* maximum length of a name in bytes; the minimum is 1 */
#define LIMPET_FILES_WAIT 10000u  /* maximum time that a GET waits for a serial port, in ms */
#define LIMPET_FILES_OFFER 24u	  /* maximum length of an offer's name in bytes */
#define LIMPET_FILES_REQUESTS 16u /* maximum number of requests in progress, besides CLOSE */

/* Flags of OPEN. The last three need WRITE. */
#define LIMPET_FILES_READ 1u
#define LIMPET_FILES_WRITE 2u
#define LIMPET_FILES_CREATE 4u	 /* creates the file if it does not exist */
#define LIMPET_FILES_TRUNCATE 8u /* truncates the file to 0 bytes */
#define LIMPET_FILES_APPEND 16u	 /* each write appends to the file */
#define LIMPET_FILES_FLAGS 31u

enum limpet_files_what {
	LIMPET_FILES_OPEN = 1,
	LIMPET_FILES_GET = 2,
	LIMPET_FILES_PUT = 3,
	LIMPET_FILES_SIZE = 4,
	LIMPET_FILES_CLOSE = 5,
	LIMPET_FILES_BEGIN = 6, /* only in answers: the proxy has restarted */
};

/* A request. OPEN is followed by the name, PUT by the data, each `length` bytes. */
struct limpet_files_request {
	uint64_t id;	   /* copied to the answer */
	uint32_t what;	   /* enum limpet_files_what */
	uint32_t handle;   /* OPEN: 0 */
	uint64_t position; /* GET, PUT: in the file; ignored for a serial port */
	uint32_t length;   /* bytes of the name or of the data; GET: maximum number of bytes */
	uint32_t argument; /* OPEN: flags; GET: ms to wait for a serial port's first byte */
};

/* An answer. GET is followed by the data, `status` bytes. */
struct limpet_files_answer {
	uint64_t id;	   /* of the request; BEGIN: 0 */
	uint32_t what;	   /* of the request */
	uint32_t reserved; /* 0 */
	int64_t status;	   /* 0, the number of bytes of GET or PUT, or an error LIMPET_E... */
	uint64_t value;	   /* OPEN: the handle, SIZE: bytes; else 0 */
};

_Static_assert(sizeof(struct limpet_files_request) == 32, "no gaps");
_Static_assert(sizeof(struct limpet_files_answer) == 32, "no gaps");

#endif
