/* SPDX-License-Identifier: BSD-2-Clause */
/* The lab's peers, and its verdicts, which are lines for run.sh. */
#ifndef CHECK_H
#define CHECK_H

#include <runtime/component.h>

#include "../memory-peer/peer.h"

#define PAGE ((word)LIMPET_PAGE)
#define R ((word)LIMPET_READ)
#define RW ((word)(LIMPET_READ | LIMPET_WRITE))

enum peer { LEFT, RIGHT, INNER };

/* Results of the last order. */
extern word result_x, result_y;

/* Sends a command to a peer. Returns its status. */
long order(enum peer peer, enum peer_action action, word b, word c, word d);
/* Checks a condition. The verdict reports its first failed condition. */
void expect(long got, long wanted, unsigned int line);
#define EXPECT(got, wanted) expect((long)(got), (long)(wanted), __LINE__)
/* Gives the verdict on all conditions since the last verdict. */
void verdict(const char *name);
void verdicts_end(void);

#endif
