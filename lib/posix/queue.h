/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef POSIX_QUEUE_H
#define POSIX_QUEUE_H

#include <runtime/types.h>

struct file;

/* A descriptor's last use of a message queue ends. Requires file_lock(). */
void queue_close(struct file *file);
/* Returns the POLL... events that hold now. Requires posix_lock(). */
uint32_t queue_events(const struct file *file);

#endif
