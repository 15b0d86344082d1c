/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets of the program. The component behind the import `socket` serves them through lib/socket. No call waits in
 * that component. A thread that must wait does so here, as for a pipe, until the watcher has seen a change.
 * posix_lock() guards the records and the known states.
 */
#ifndef POSIX_SOCKET_H
#define POSIX_SOCKET_H

#include <socket/socket.h>

#include "file.h"

/* Linux's numbers that its headers for programs do not have. */
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define AF_UNSPEC 0
#define AF_INET 2
#define AF_INET6 10
#define MSG_TRUNC 0x20u
#define MSG_DONTWAIT 0x40u
#define MSG_WAITALL 0x100u
#define MSG_NOSIGNAL 0x4000u

enum socket_state {
	SOCKET_NEW,
	SOCKET_LISTENS,
	SOCKET_CONNECTS,
	SOCKET_CONNECTED,
	SOCKET_FAILED /* the connection was refused or reset */
};

/* Options whose values are stored, because getsockopt() returns them. */
enum socket_option {
	OPTION_REUSE_ADDRESS,
	OPTION_REUSE_PORT,
	OPTION_KEEPALIVE,
	OPTION_BROADCAST,
	OPTION_NODELAY,
	OPTION_HOPS,
	OPTIONS
};

struct socket {
	bool used;
	bool stream; /* TCP, otherwise UDP */
	bool six;    /* AF_INET6 */
	bool lost;   /* the serving component has crashed, or the program ends */
	bool bound, shut_read, shut_write;
	uint32_t life;	/* number of earlier crashes of the serving component */
	uint8_t state;	/* enum socket_state, of a stream */
	uint8_t number; /* of lib/socket */
	int error;	/* errno of the failure, until a call has returned it */
	int option[OPTIONS];
	uint64_t receive_ns, send_ns; /* SO_RCVTIMEO, SO_SNDTIMEO; 0: no limit */
};

/* --- socket.c */

/*
 * Creates a socket, and its descriptor with SOCK_NONBLOCK and SOCK_CLOEXEC of `flags`. Returns the descriptor, or a
 * negative error: EAFNOSUPPORT without the import.
 */
long socket_open(bool stream, bool six, word flags);
/* Does the same for an accepted connection, with its number of lib/socket. Closes the connection if that fails. */
long socket_open_accepted(long number, const struct socket *listener, word flags);
/* Returns the open file of a socket's descriptor, in use until file_put(). NULL: `status` is -EBADF or -ENOTSOCK. */
struct file *socket_get(word descriptor, long *status);
/*
 * Waits, in a call with MSG_... `flags`, until the socket is ready to send or to receive. The caller then tries again.
 * Returns 0, -EAGAIN, -EINTR or -ERESTART.
 */
long socket_block(struct file *file, bool send, word flags);
/*
 * Notes that the connection was refused or reset. Returns the error, as a negative number, unless a call has returned
 * it.
 */
long socket_fail(struct socket *socket);
/* Notes that data were read or that a write did not fit, so that the next sockets_update() finds the present state. */
void socket_used_up(const struct socket *socket, bool send);
/* Returns a negative error for one of lib/socket. */
long socket_error(long status);

/* --- socket_name.c */

/* Reads an address of `size` bytes for a socket. Returns 0, -EINVAL or -EAFNOSUPPORT. */
long address_read(const struct socket *socket, word from, word size, struct net_address *address);
/*
 * Stores an address at `to`, unless that is 0. Stores at most the bytes that `size` points to, and the whole size
 * there.
 */
void address_write(const struct socket *socket, const struct net_address *address, word to,
		   word size);
/* Returns the destination for an address: a connection to "any address" leads to this host. */
struct net_address address_destination(const struct socket *socket, struct net_address address);

#endif
