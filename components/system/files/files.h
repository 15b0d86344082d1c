/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callers' threads put requests into a table and wait. Only the component's own thread touches the
 * channel. One mutex protects everything.
 */
#ifndef FILES_FILES_H
#define FILES_FILES_H

#include <channel/channel.h>
#include <limpet/files.h>
#include <sync/condition.h>

#define CLIENTS_MAX 16
#define HANDLES_MAX 32
#define HANDLES_EACH 8
#define REQUESTS_EACH 4 /* of one client, and of those that close a handle */
#define REQUESTS_MAX (LIMPET_FILES_REQUESTS + REQUESTS_EACH)
#define OFFERS_MAX 8
#define PAGES_MAX 16
#define FILES_KICK 1ul /* event for the component's own thread: there is a request */

/* State shared by all parts; state.c. */
struct files {
	struct mutex lock;
	uint32_t peer; /* generation of Linux's side of the channel; 0: not opened by a proxy */
};

extern struct files files;

/* --- offers.c: the files that the system file lets each client open */

/* Reads the arguments offer-0 to offer-7. ERANGE: one of them is invalid; a message was printed. */
long offers_begin(const struct limpet_info *info);
/* Returns whether the system file offers files to the client. */
bool offers_any(uint32_t component);
/*
 * Checks whether the client may open the file. ERANGE: the name or mode is invalid. ERIGHTS: the
 * system file does not permit it.
 */
long offers_check(uint32_t component, const char *name, uint32_t length, word how);

/* --- clients.c: memory shared with clients */

/*
 * Returns the client's memory of `pages`, 1 to PAGES_MAX. The first call allocates it. ERANGE:
 * another size than at the first call. EFULL: CLIENTS_MAX clients have memory. Also returns the
 * errors of mem's allocate and grant.
 */
long client_share(word badge, word pages, word *address);
/* Returns the address of `length` bytes at `at`. NULL: they are not all in the client's memory. */
char *client_memory(word badge, word at, word length);

/* --- handles.c: open files */

struct handle {
	word badge;	 /* component that opened it; 0: free */
	uint32_t remote; /* the proxy's handle */
	uint32_t how;	 /* LIMPET_FILES_... */
	uint32_t turn;	 /* number of times that the record was used */
};

/*
 * Returns 0 if the client can open another file. EFULL: all records are in use, or the client has
 * HANDLES_EACH.
 */
long handle_available(word badge);
/* Allocates a handle and returns its name. The caller has checked that one is free. */
word handle_make(word badge, uint32_t remote, uint32_t how);
/* Returns the client's handle of that name, or NULL. */
struct handle *handle_find(word badge, word name);
/* Returns the client's first handle, or NULL. */
struct handle *handle_first(word badge);
void handle_end(struct handle *handle);
/* Forgets all handles, because the proxy no longer has them. */
void handles_drop(void);

/* --- requests.c */

enum request_state {
	REQUEST_FREE = 0,
	REQUEST_READY = 1, /* not sent yet */
	REQUEST_SENT = 2,
	REQUEST_DONE = 3,
};

struct request {
	struct limpet_files_request wire;
	enum request_state state;
	word badge; /* of the component that waits for the answer; 0: a CLOSE, for which no thread waits */
	long status;
	uint64_t value;
	const char *from; /* bytes that follow the request */
	char *to;	  /* destination of the bytes of the answer */
	struct condition done;
	char name[LIMPET_FILES_NAME];
};

/*
 * Sends a request of a component and waits for its answer for up to `ms`. The caller holds the mutex, which is
 * released during the wait. `from` must stay valid, and `to` must be as large as the request says.
 * Returns the status that the interface documents.
 */
long request_do(word badge, const struct limpet_files_request *wire, const char *from, char *to,
		word ms, uint64_t *value);
/* Asks the proxy to close a handle. Does not wait for the answer. */
void request_close(uint32_t remote);

/* Only the component's own thread calls the functions below. */

/* Drops all handles and ends all requests, because a new proxy knows neither. */
void requests_renew(void);
/* Sends pending requests while the channel has space. */
void requests_send(struct limpet_channel *channel);
/* Reads one answer from the channel. Returns false without an answer. */
bool requests_answer(struct limpet_channel *channel);

/* --- serve.c: the interface */

/* Reads the argument timeout-ms. ERANGE: it is invalid; a message was printed. */
long serve_begin(const struct limpet_info *info);

/* --- main.c */

/* Does the work of the component's own thread between two waits. */
void files_turn(struct limpet_channel *channel);

#endif
