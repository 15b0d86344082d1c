/* SPDX-License-Identifier: BSD-2-Clause */
/* Text for a 16550 UART; see uart.c. */
#ifndef LOG_UART_H
#define LOG_UART_H

#include <runtime/component.h>

/*
 * Initialises the UART. LIMPET_ENOENT: the component has no interrupt, or fewer ports than a UART.
 */
long uart_init(const struct limpet_info *info);
/*
 * Queues all of the text, or drops it without space. Never waits. The component's thread sends it
 * at its own, lower priority.
 */
void uart_write(const char *text, uint64_t size);

#endif
