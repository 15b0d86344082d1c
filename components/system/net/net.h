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

#define CLIENTS 16	  /* as many allocations can one component share */
#define CLIENT_SOCKETS 64 /* bits of a bitmap */
#define SOCKETS 160	  /* of all clients, connections that nobody has accepted included */
#define BACKLOG_MOST 16
#define DATAGRAM_MOST 1472
/* Pieces that have come and that nobody has read yet; of all sockets. */
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
	ip_addr_t from;
	uint16_t port;
};

struct client {
	uint32_t component; /* index in the image; 0: the record is free */
	uint32_t held;	    /* arrivals of its sockets */
	word life;	    /* in which its sockets were made, see CAP_INFO */
	word checked;	    /* the same at the last check */
	char *memory;	    /* what it shares with this component */
	struct socket *socket[CLIENT_SOCKETS];
	struct event event; /* of any of its sockets */
};

struct socket {
	enum kind kind;
	struct client *client;
	uint32_t life; /* how often the record was used */
	union {
		struct udp_pcb *udp;
		struct tcp_pcb *tcp; /* NULL: the connection is over */
	};
	bool connecting, connected; /* stream; connected: is or was */
	bool ended;		    /* the other side sends no more */
	bool shut;		    /* this side sends no more */
	bool refused;		    /* the connection failed, or was reset */
	struct arrival *first, *last;
	uint32_t taken;	     /* bytes of the first that have been read */
	struct socket *next; /* listener: the oldest connection that waits; of these: the next one */
	struct socket *listener; /* connection: where it waits for accept */
	struct event event;
};

/* --- core.c: the lock, the threads that wait, time */

void core_setup(const struct limpet_info *info);
/* Begins the timers' thread. */
long core_begin(void);
/* What that one does, once: lwIP's timers that are due. When the next one is. */
uint64_t core_timers(void);
void core_enter(void);
/* Resumes the threads of core_wake(); returns status. */
long core_leave(long status);
/* The threads that wait for the event look again, after core_leave(). Lock taken. */
void core_wake(struct event *event);
/*
 * Waits, without the lock, for the event. Can return before it came: the caller looks again. LIMPET_ETIME: the time
 * came first, or has passed already.
 */
long core_wait(struct event *event, uint64_t deadline);

/* --- link.c: the card */

extern struct netif link_netif;

struct link_figures {
	uint64_t received, received_bytes, sent, sent_bytes;
	uint64_t bad;	    /* frames of no possible length */
	uint64_t no_room;   /* came, and there was no memory */
	uint64_t ring_full; /* to be sent, and the ring was full */
	uint64_t lost;	    /* times that Linux's side went, or began anew */
};
extern struct link_figures link_figures;

/* Makes the card, which has no way to Linux yet. */
long link_setup(void);
/* Opens the channel of that name, NULL: the first. ENOENT: there is none. */
long link_begin(const char *channel);
/* Takes some frames. False: there were none, and Linux sends an event when there are. */
bool link_turn(void);

/* --- host.c: the host on the network */

/* Makes the card and sets its addresses from the component's arguments. ERANGE: one of them is invalid. */
long host_setup(const struct limpet_info *info);

/* --- client.c: the records of the client components */

extern struct client client_records[CLIENTS];
extern uint32_t clients_used;
/* Pages of the memory shared with each client. */
extern word client_pages;

/* Returns the record of a component, or a free record for component 0. Returns NULL if there is no such record. */
struct client *client_record(uint32_t component);
/* `length` bytes at `offset` of what it shares; NULL: they are not all in it. */
void *client_memory(const struct client *client, word offset, word length);
/* Arrivals that one client may have: all of them together leave as many. */
uint32_t client_share(void);
/* A free number for a socket, -1: none. */
long client_number(const struct client *client);
long client_setup(const struct limpet_info *info);

/* --- socket.c: what all sockets have */

extern uint32_t sockets_used;

/* A socket without number, NULL: all are in use. */
struct socket *socket_new(struct client *client, enum kind kind);
/* The client's socket, or NULL. */
struct socket *socket_at(struct client *client, word number);
/* It is free; its pcb is not touched. */
void socket_free(struct socket *socket);
/* Wakes the threads that wait for the socket. */
void socket_wake(struct socket *socket);
/* Something came; takes the pbuf. False: there is no room, and the pbuf is still the caller's. */
bool socket_arrived(struct socket *socket, struct pbuf *p, const ip_addr_t *from, uint16_t port);
/* The first arrival is done with. */
void socket_taken(struct socket *socket);

typedef bool socket_test(const struct socket *s);
/*
 * Waits until a test holds. LIMPET_OK: it does. ENOENT: the socket is gone; ETIME; EAGAIN: woken, but it does
 * not.
 */
long socket_wait(struct socket *socket, socket_test *test, uint64_t deadline);

/* --- address.c */

/* For clients: 16 bytes as two words. False: not an address that a socket of ours can have. */
bool address_take(word high, word low, ip_addr_t *address);
void address_give(const ip_addr_t *address, word *high, word *low);
/* The error that lwIP's stands for. */
long status_of(err_t error);

/* --- stream.c */

long stream_begin(struct socket *socket);
void stream_drop(struct socket *socket, bool abort);
bool stream_readable(const struct socket *socket);
bool stream_writable(const struct socket *socket);
/* Whether a connection waits. */
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

/* Datagrams that came and found no room, since nobody had read those before. */
extern uint64_t datagrams_lost;

long datagram_begin(struct socket *socket);
void datagram_drop(struct socket *socket);
bool datagram_readable(const struct socket *socket);
long datagram_send(struct socket *socket, const void *data, uint32_t length, const ip_addr_t *to,
		   uint16_t port);
long datagram_connect(struct socket *socket, const ip_addr_t *to, uint16_t port);
/* The first one's data and origin; the socket is not waited for. */
long datagram_take(struct socket *socket, void *to, uint32_t size, ip_addr_t *from, uint16_t *port);

/* --- life.c: start and end of clients and their sockets */

/* Starts the timer that checks for stopped clients. */
void life_setup(void);
/* Returns the calling client without sockets of an earlier life; NULL: it has not called begin(), or is closed. */
struct client *client_find(word badge);
/* Closes a socket of either type. With `abort` a connection is reset. */
void socket_drop(struct socket *socket, bool abort);

#endif
