/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callers' threads put requests into a table and wait; the component's own thread is the only one that
 * touches the channel. All is protected by one mutex.
 */
#ifndef FILES_FILES_H
#define FILES_FILES_H

#include <channel/channel.h>
#include <limpet/files.h>
#include <sync/condition.h>

#define CLIENTS_MOST 16
#define HANDLES_MOST 32
#define HANDLES_EACH 8
#define REQUESTS_MOST 8
#define OFFERS_MOST 8
#define PAGES_MOST 16
#define FILES_KICK 1ul /* event to the component's own thread: there is a request */

/* State shared by all parts; state.c. */
struct files {
	struct mutex lock;
	uint32_t peer; /* generation of Linux's side of the channel; 0: no proxy has it open */
};

extern struct files files;

/* --- offers.c: what the system file lets whom open */

/* Reads the arguments offer-0 to offer-7. ERANGE: one of them is none; that was printed. */
long offers_begin(const struct limpet_info *info);
/* Whether a client has any. */
bool offers_any(uint32_t component);
/* May the client open this? ERANGE: the name, or how, is none. ERIGHTS: the system file does not say so. */
long offers_check(uint32_t component, const char *name, uint32_t length, word how);

/* --- clients.c: their memory */

/*
 * The client's memory of `pages`, 1 to PAGES_MOST, made the first time. ERANGE: another number than then; EFULL:
 * CLIENTS_MOST have some; or an error of mem's allocate or grant.
 */
long client_share(word badge, word pages, word *address);
/* Where `length` bytes at address `at` are, if all of them are in the client's memory; else NULL. */
char *client_memory(word badge, word at, word length);

/* --- handles.c: what they have open */

struct handle {
	word badge;	 /* of whose it is; 0: free */
	uint32_t remote; /* the proxy's handle */
	uint32_t how;	 /* LIMPET_FILES_... */
	uint32_t turn;	 /* how often this one was used */
};

/* Whether there is room for one more: 0, or EFULL, also where the client has HANDLES_EACH. */
long handle_room(word badge);
/* Makes one, for which there is room, and returns its name. */
word handle_make(word badge, uint32_t remote, uint32_t how);
/* The client's handle of that name, or NULL. */
struct handle *handle_find(word badge, word name);
/* The client's first one, or NULL. */
struct handle *handle_first(word badge);
void handle_end(struct handle *handle);
/* The proxy has none of them any more. */
void handles_drop(void);

/* --- requests.c */

enum request_state {
	REQUEST_FREE = 0,
	REQUEST_READY = 1, /* to be sent */
	REQUEST_SENT = 2,
	REQUEST_DONE = 3,
};

struct request {
	struct limpet_files_request wire;
	enum request_state state;
	bool waited; /* somebody waits for the answer */
	long status;
	uint64_t value;
	const char *from; /* of the bytes behind it */
	char *to;	  /* where the bytes of the answer go */
	struct condition done;
	char name[LIMPET_FILES_NAME];
};

/*
 * Sends a request and waits for its answer, up to `ms`; the mutex is the caller's, and is given up
 * meanwhile. `from` stays there and `to` is as large as the request says. Status: as the interface says.
 */
long request_do(const struct limpet_files_request *wire, const char *from, char *to, word ms,
		uint64_t *value);
/* Asks the proxy to close a handle; nobody waits. */
void request_close(uint32_t remote);

/* All of the below is for the component's own thread. */

/* Drops all handles and ends all requests, because a new proxy knows neither. */
void requests_renew(void);
/* Puts what is ready into the channel, as far as there is room. */
void requests_send(struct limpet_channel *channel);
/* Takes one answer out of the channel. False: there is none. */
bool requests_answer(struct limpet_channel *channel);

/* --- serve.c: the interface */

/* Reads the argument timeout-ms. ERANGE: it is none; that was printed. */
long serve_begin(const struct limpet_info *info);

/* --- main.c */

/* What the own thread does between two waits. */
void files_turn(struct limpet_channel *channel);

#endif
