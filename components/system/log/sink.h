/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a console's complete lines go. None of these waits; each may be called by several threads. */
#ifndef LOG_SINK_H
#define LOG_SINK_H

#include <runtime/component.h>

/* Once, before the others. A negative status: there is no place for lines. */
long sink_init(const struct limpet_info *info);
/* `size` bytes, that end with a newline; dropped and counted where there is no room. */
void sink_write(const char *text, uint64_t size);
/* Bytes that Linux's reader will never see. */
uint64_t sink_dropped(void);

#endif
