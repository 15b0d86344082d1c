/* SPDX-License-Identifier: BSD-2-Clause */
/* Simulates lib/socket without a network. A test sets the results of its functions. */
#ifndef TEST_POSIX_FAKE_NET_H
#define TEST_POSIX_FAKE_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fake_net {
	bool is_imported;
	bool has_crashed;
	uint64_t receive, send, ended; /* states, as net_look() stores them */
	uint64_t open;		       /* sockets */
	long connect, accept;	       /* status of the next call */
	const char *data;	       /* data to receive; NULL: none yet */
	long received;		       /* status of a receive without data */
	size_t space;		       /* bytes that a stream can send */
	unsigned int sends;	       /* calls of net_send() */
};
extern struct fake_net fake_net;

#endif
