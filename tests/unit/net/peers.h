/* SPDX-License-Identifier: BSD-2-Clause */
/* Setup and teardown of tests with the two components of world.h, each with one client. */
#ifndef PEERS_H
#define PEERS_H

#include "world.h"

#define SOON (now + 2000 * MS)
#define LONG (now + 600000 * MS)

extern const word any[2], four_a[2], four_b[2]; /* addresses: unspecified, of a, of b */
extern char *memory_a, *memory_b; /* memory that LEFT shares with a, and RIGHT with b */

struct pair {
	long listener, left, right; /* sockets of b, a, b */
};

/* Starts both components, and a client of each. */
int peers_setup(void **state);
/* Runs until all sent data is delivered or dropped. Then no memory may be in use. */
int peers_teardown(void **state);
#define PEERS_TEST(test) cmocka_unit_test_setup_teardown(test, peers_setup, peers_teardown)

/* Returns a listener of RIGHT at b. */
long listen_at(word port);
/* Makes a connection from LEFT to RIGHT's port 7 at `to`. */
struct pair connect_pair(const word *to);
/* Returns the byte of a stream at `at`. */
char pattern(uint64_t at);
/* Returns the link-local IPv6 address of a component. */
void link_local(struct stack *s, word *to);

#endif
