/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Serves requests of component `files`, one after the other. A request is a claim. For any request only
 * offered files are opened, and at most SERVE_OPEN files at a time.
 */
#ifndef CLI_PROXY_SERVE_H
#define CLI_PROXY_SERVE_H

#include <cli/command/proxy/offer.h>
#include <limpet/files.h>

#define SERVE_OFFERS 16
#define SERVE_OPEN 48			    /* files open at a time */
#define SERVE_WAITING LIMPET_FILES_REQUESTS /* reads of serial ports that wait at a time */
#define SERVE_MESSAGE (sizeof(struct limpet_files_request) + LIMPET_FILES_DATA)

struct serve_file {
	int fd; /* -1: free */
	uint32_t how;
	uint32_t turn; /* number of times that this one was used */
	bool serial;
};

struct serve_wait {
	bool used;
	struct limpet_files_request request;
	int64_t deadline; /* ms */
};

struct serve {
	struct offer offer[SERVE_OFFERS];
	unsigned int offers;
	struct serve_file file[SERVE_OPEN];
	struct serve_wait wait[SERVE_WAITING];
};

/* An answer and its data, as in the channel. */
struct serve_answer {
	struct limpet_files_answer head;
	char data[LIMPET_FILES_DATA];
};

void serve_begin(struct serve *server);
/* Closes all files and drops all pending reads, because the component's side has restarted. */
void serve_drop(struct serve *server);
/*
 * Serves a request of `size` bytes at `message`, which must not change meanwhile. Returns the bytes of its answer. 0:
 * the answer follows later, or the request is invalid and gets no answer.
 */
size_t serve_request(struct serve *server, const void *message, size_t size, int64_t now,
		     struct serve_answer *answer);
/* Answers a read that is ready or expired. Returns the answer's bytes, or 0 without such a read. */
size_t serve_waiting(struct serve *server, int64_t now, struct serve_answer *answer);
/* Returns the earliest deadline of the pending reads, or INT64_MAX. */
int64_t serve_deadline(const struct serve *server);
/* Returns the descriptor that a pending read waits for, or -1. */
int serve_wait_fd(const struct serve *server, unsigned int index);

#endif
