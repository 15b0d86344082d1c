/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef POSIX_QUEUE_H
#define POSIX_QUEUE_H

struct file;

/* A descriptor's last use of a message queue ends. With file_lock(). */
void queue_close(struct file *file);

#endif
