/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The destination of a console's complete lines. The functions never wait. Several threads may call
 * them at the same time.
 */
#ifndef LOG_SINK_H
#define LOG_SINK_H

#include <runtime/component.h>

/*
 * Initialises the destination. Called once, before the other functions. Returns a negative status
 * if there is no destination.
 */
long sink_init(const struct limpet_info *info);
/* Writes `size` bytes that end with a newline. Without space they are dropped and counted. */
void sink_write(const char *text, uint64_t size);
/* Returns the number of dropped bytes, which Linux's reader never sees. */
uint64_t sink_dropped(void);

#endif
