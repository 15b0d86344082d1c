/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef POSIX_QUEUE_H
#define POSIX_QUEUE_H

#include <runtime/types.h>

struct file;

/*
 * Ends an open file's use of a message queue, and frees the queue if it has no name and no other use. Requires
 * file_lock().
 */
void queue_close(struct file *file);
/* Returns the POLL... events that hold now. Requires posix_lock(). */
uint32_t queue_events(const struct file *file);

#endif
