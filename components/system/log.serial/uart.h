/* SPDX-License-Identifier: BSD-2-Clause */
/* Text for a 16550 UART; see uart.c. */
#ifndef LOG_UART_H
#define LOG_UART_H

#include <runtime/component.h>

/* LIMPET_ENOENT: the component has no ports, or fewer than a UART, or no interrupt. */
long uart_init(const struct limpet_info *info);
/* All or nothing, and never waits: the component's thread sends it, less important than who writes. */
void uart_write(const char *text, uint64_t size);

#endif
