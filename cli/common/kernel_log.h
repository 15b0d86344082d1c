/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the messages that Linux's log receives after a moment. */
#ifndef CLI_KERNEL_LOG_H
#define CLI_KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens the log at its end. Returns a negative value if the log cannot be read. The other functions
 * accept that value.
 */
int kernel_log_open(void);
/* Finds the first later line that contains `words`. Copies the text after the words to `to`. */
bool kernel_log_find(int log, const char *words, char *to, size_t size);
void kernel_log_close(int log);

#endif
