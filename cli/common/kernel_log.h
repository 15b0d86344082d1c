/* SPDX-License-Identifier: GPL-2.0 */
/* Linux's log, from a moment on. */
#ifndef CLI_KERNEL_LOG_H
#define CLI_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* Opens the log behind its last line. Negative: it cannot be read; the others take that, too. */
int kernel_log_open(void);
/* Finds the first line since then that holds `words`; what stands behind them goes to `to`. */
bool kernel_log_find(int log, const char *words, char *to, size_t size);
void kernel_log_close(int log);

#endif
