/* SPDX-License-Identifier: BSD-2-Clause */
/* The lab's peers, and its verdicts: lines that run.sh reads. */
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

/* Tells a peer what to do; its status. */
long order(enum peer peer, enum peer_action action, word b, word c, word d);
/* Checks a condition. The first failed one of a verdict is reported with it. */
void expect(long got, long wanted, unsigned int line);
#define EXPECT(got, wanted) expect((long)(got), (long)(wanted), __LINE__)
/* The verdict on all expected since the last one. */
void verdict(const char *name);
void verdicts_end(void);

#endif
