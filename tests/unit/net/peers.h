/* SPDX-License-Identifier: BSD-2-Clause */
/* The two components of world.h with a client each: what their tests begin with, and what each ends with. */
#ifndef PEERS_H
#define PEERS_H

#include "world.h"

#define SOON (now + 2000 * MS)
#define LONG (now + 600000 * MS)

extern const word any[2], four_a[2], four_b[2]; /* addresses: none, a's, b's */
extern char *memory_a, *memory_b;		/* what LEFT shares with a, RIGHT with b */

struct pair {
	long listener, left, right; /* sockets of b, a, b */
};

/* Both components, and a client that has begun at each. */
int peers_setup(void **state);
/* Everything that was sent is delivered or given up; then nothing is held. */
int peers_teardown(void **state);
#define PEERS_TEST(test) cmocka_unit_test_setup_teardown(test, peers_setup, peers_teardown)

/* A listener of RIGHT's at b. */
long listen_at(word port);
/* A connection from LEFT to RIGHT's port 7 at `to`. */
struct pair connect_pair(const word *to);
/* The byte of a stream at `at`. */
char pattern(uint64_t at);
/* The address that IPv6 gave itself. */
void link_local(struct stack *s, word *to);

#endif
