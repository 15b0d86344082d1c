/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef CALLS_SERVE_H
#define CALLS_SERVE_H

#include <channel/channel.h>

/* Finds the functions that may be called. */
void serve_begin(void);
/*
 * Answers the oldest request. Returns false without a request, or without space for the answer. The
 * space is checked before a function is invoked. Cost: constant, in addition to the invocation.
 */
bool serve_one(struct limpet_channel *channel);

#endif
