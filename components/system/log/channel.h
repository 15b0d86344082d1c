/* SPDX-License-Identifier: BSD-2-Clause */
/* The console channel, which Linux reads. Declares the functions of sink.h. */
#ifndef LOG_CHANNEL_H
#define LOG_CHANNEL_H

#include <runtime/component.h>

long channel_init(const struct limpet_info *info);
void channel_write(const char *text, uint64_t size);
uint64_t channel_dropped(void);

#endif
