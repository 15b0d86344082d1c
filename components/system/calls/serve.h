/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CALLS_SERVE_H
#define CALLS_SERVE_H

#include <channel/channel.h>

/* Learns which functions may be called. */
void serve_begin(void);
/*
 * Answers the oldest request. Cost: constant, and the invocation's. False: there is no request, or no room for
 * the answer, which is looked for before anything is invoked.
 */
bool serve_one(struct limpet_channel *channel);

#endif
