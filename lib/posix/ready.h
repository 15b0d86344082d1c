/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of open files, POLL... of Linux, and threads that wait for changes of files. An object is the part that open files can
 * share: a pipe or a message queue, otherwise the open file itself. All functions: with posix_lock().
 */
#ifndef POSIX_READY_H
#define POSIX_READY_H

#include <asm/poll.h>

#include "file.h"

/* ready.c */

/* Returns the events that hold now. */
uint32_t file_events(const struct file *file);
const void *file_object(const struct file *file);
/*
 * Wakes the threads that wait for a change, and adds the object to the ready lists of epoll instances that watch it for one of
 * `events`, those for which Linux wakes the waiters of the object. Must be called after each change for which a thread waits.
 */
void file_changed(const void *object, uint32_t events);
/* Waits until any object changes. Returns 0, -ETIMEDOUT or -EINTR. */
long change_wait(uint64_t deadline);
/* Waits in a call that reads or writes a file. Returns 0, -EAGAIN with O_NONBLOCK, or -ERESTART. */
long file_wait(const struct file *file);

/* epoll.c */

/* Adds an object to ready lists, see file_changed(). */
void epoll_note(const void *object, uint32_t events);
/* Returns whether epoll_wait() has events to return. */
bool epoll_is_ready(const struct file *epoll);
/* Removes a file from all epoll instances, and the entries of the file if it is one. */
void epoll_forget(const struct file *file);

#endif
