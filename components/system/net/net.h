/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network component. lwIP is not thread-safe, so core.c has one lock around it. Each thread that enters takes the
 * lock, and releases it while it waits. lwIP reports changes of a socket by callbacks, with the lock taken. A callback
 * records the threads that wait for the socket, and they are woken when the lock is released.
 *
 *	own thread     frames from the channel to lwIP                    link.c
 *	spare thread   lwIP's timers                                      core.c
 *	any other      a client's call: serve.c, option.c, life.c, ready.c, resolve.c
 */
#ifndef NET_H
#define NET_H

#include <lwip/pbuf.h>
#include <lwip/tcp.h>
#include <lwip/udp.h>

#include <runtime/component.h>

#define CLIENTS 16	  /* limit of allocations that one component can share */
#define CLIENT_SOCKETS 64 /* bits of a bitmap */
#define SOCKETS 160 /* sockets of all clients, including connections that were not accepted yet */
#define BACKLOG_MAX 16
#define DATAGRAM_MAX 1472
/* Received pieces that were not read yet, of all sockets. */
#define ARRIVALS PBUF_POOL_SIZE

static inline long bits_count(word bits)
{
	long count = 0;

	for (; bits; bits &= bits - 1)
		count++;
	return count;
}

/* An event that threads wait for. It is never freed, because another thread can be about to signal it. */
struct event {
	uint32_t waiters;
	bool woken; /* it is in the list of core_wake() */
	struct event *next;
};

enum kind { KIND_FREE, KIND_DATAGRAMS, KIND_STREAM, KIND_LISTENER };

struct arrival {
	struct arrival *next;
	struct pbuf *data;
	uint32_t buffers; /* length of the chain `data` */
	ip_addr_t from;
	uint16_t port;
};

struct client {
	uint32_t component; /* index in the image; 0: the record is free */
	uint32_t held;	    /* buffers of its sockets' arrivals */
	word life;	    /* life of its sockets, see CAP_INFO */
	word checked;	    /* the value of `life` at the last check */
	char *memory;	    /* memory shared with this component */
	struct socket *socket[CLIENT_SOCKETS];
	struct event event;		    /* event of any of its sockets */
	word watched_receive, watched_send; /* sockets that the last look found not ready */
};

struct socket {
	enum kind kind;
	struct client *client;
	uint32_t life; /* number of times that the record was used */
	union {
		struct udp_pcb *udp;
		struct tcp_pcb *tcp; /* NULL: the connection is over */
	};
	bool connecting, connected; /* stream; `connected`: is or was */
	bool ended;		    /* the other side sends no more */
	bool shut;		    /* this side sends no more */
	bool refused;		    /* the connection failed, or was reset */
	struct arrival *first, *last;
	uint32_t taken;		 /* bytes of the first arrival that were read */
	struct socket *next;	 /* listener: oldest pending connection; else the next one */
	struct socket *listener; /* pending connection: the listener that will accept it */
	struct event event;
};

/* --- core.c: the lock, waiting threads, time */

extern struct lock core_lock;

void core_setup(const struct limpet_info *info);
/* Starts the timers' thread. */
long core_begin(void);
/* Runs lwIP's expired timers once. Returns when the next one expires. */
uint64_t core_timers(void);
void core_enter(void);
/* Resumes the threads of core_wake(), releases the lock, and returns `status`. */
long core_leave(long status);
/* Makes core_leave() resume the threads that wait for the event. The caller holds the lock. */
void core_wake(struct event *event);
/*
 * Releases the lock, waits for the event, and takes the lock again. It can return early, so the
 * caller must check again. LIMPET_ETIME: the deadline has passed.
 */
long core_wait(struct event *event, uint64_t deadline);

/* --- link.c: the card */

extern struct netif link_netif;

struct link_figures {
	uint64_t received, received_bytes, sent, sent_bytes;
	uint64_t bad;	    /* frames of an invalid length */
	uint64_t no_memory; /* received without memory for them */
	uint64_t ring_full; /* frames that were not sent, because the ring was full */
	uint64_t lost;	    /* number of times that Linux's side disconnected or restarted */
};
extern struct link_figures link_figures;

/* Adds the network card to lwIP. It is not connected to Linux yet. */
long link_setup(void);
/* Opens the channel of that name, or the first one for NULL. ENOENT: there is no such channel. */
long link_begin(const char *channel);
/*
 * Passes some frames to lwIP. Returns false without frames. Linux then sends an event with the next one.
 */
bool link_turn(void);

/* --- host.c: the host on the network */

/*
 * Adds the card, and sets its addresses from the component's arguments. ERANGE: an argument is
 * invalid.
 */
long host_setup(const struct limpet_info *info);

/* --- client.c: the records of the client components */

extern struct client client_records[CLIENTS];
extern uint32_t clients_used;
/* Pages of the memory shared with each client. */
extern word client_pages;

/* Returns the record of a component, or a free record for component 0. Returns NULL if there is no such record. */
struct client *client_record(uint32_t component);
/*
 * Returns `length` bytes at `offset` of the shared memory. NULL: the range is not inside the shared
 * memory.
 */
void *client_memory(const struct client *client, word offset, word length);
/* Returns the number of received buffers that one client may hold, so that all clients together fit. */
uint32_t client_share(void);
/* Returns a free socket number, or -1. */
long client_number(const struct client *client);
long client_setup(const struct limpet_info *info);

/* --- socket.c: the common part of all sockets */

extern uint32_t sockets_used;

/* Returns a socket without a number. NULL: all are in use. */
struct socket *socket_new(struct client *client, enum kind kind);
/* Returns the client's socket, or NULL. */
struct socket *socket_at(struct client *client, word number);
/* Frees the record. Does not touch the pcb. */
void socket_free(struct socket *socket);
/* Wakes the threads that wait for the socket. */
void socket_wake(struct socket *socket);
/*
 * Queues received data, and takes over the pbuf. Returns false if the socket's limit is reached;
 * then the caller keeps the pbuf.
 */
bool socket_arrived(struct socket *socket, struct pbuf *p, const ip_addr_t *from, uint16_t port);
/* Removes the first arrival. */
void socket_taken(struct socket *socket);

typedef bool socket_test(const struct socket *socket);
/*
 * Waits until the test holds, and returns LIMPET_OK. ENOENT: the socket was closed. ETIME: the
 * deadline has passed. EAGAIN: the thread was resumed, but the test does not hold.
 */
long socket_wait(struct socket *socket, socket_test *test, uint64_t deadline);

/* --- address.c */

/*
 * Converts an address of the interface, 16 bytes in two words. Returns false if a socket of this
 * host cannot have it.
 */
bool address_take(word high, word low, ip_addr_t *address);
void address_give(const ip_addr_t *address, word *high, word *low);
/* Returns the interface's error for an error of lwIP. */
long status_of(err_t error);

/* --- stream.c */

long stream_begin(struct socket *socket);
void stream_drop(struct socket *socket, bool abort);
bool stream_readable(const struct socket *socket);
bool stream_writable(const struct socket *socket);
/* Returns whether a connection waits to be accepted. */
bool listener_ready(const struct socket *socket);
long stream_send(struct socket *socket, const void *data, uint32_t length, uint64_t deadline);
long stream_receive(struct socket *socket, void *to, uint32_t size, uint64_t deadline);
/* Makes a bound stream a listener. */
long stream_listen(struct socket *socket, word backlog);
/* Waits for a connection, assigns it a socket number of the listener's client, and returns the number. */
long stream_accept(struct socket *listener, uint64_t deadline, struct socket **accepted);
/* Ends the sending direction of a connection. */
long stream_shutdown(struct socket *socket);
long stream_connect(struct socket *socket, const ip_addr_t *to, uint16_t port, uint64_t deadline);

/* --- datagram.c */

/* Number of datagrams that were dropped, because earlier ones were not read. */
extern uint64_t datagrams_lost;

long datagram_begin(struct socket *socket);
void datagram_drop(struct socket *socket);
bool datagram_readable(const struct socket *socket);
long datagram_send(struct socket *socket, const void *data, uint32_t length, const ip_addr_t *to,
		   uint16_t port);
long datagram_connect(struct socket *socket, const ip_addr_t *to, uint16_t port);
/* Copies the first datagram's data and source. Does not wait for the socket. */
long datagram_take(struct socket *socket, void *to, uint32_t size, ip_addr_t *from, uint16_t *port);

/* --- life.c: start and end of clients and their sockets */

/* Starts the timer that checks for stopped clients. */
void life_setup(void);
/*
 * Returns the calling client, after its sockets of an earlier life were dropped. NULL: it has not
 * called begin(), or is closed.
 */
struct client *client_find(word badge);
/* Closes a socket of either type. With `abort` a connection is reset. */
void socket_drop(struct socket *socket, bool abort);

#endif
