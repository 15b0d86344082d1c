/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of open files (Linux's POLL...), and threads that wait for changes of files. Open files can share an object: a
 * pipe or a message queue. The object of a socket is its record. All signalfds have one object. The object of any other file is the open file itself.
 * The caller of each function holds posix_lock().
 */
#ifndef POSIX_READY_H
#define POSIX_READY_H

#include <asm/poll.h>

#include "file.h"

/* ready.c */

/* Returns the events that hold now. */
uint32_t file_events(const struct file *file);
/* Returns the address that identifies the object of an open file. */
const void *file_object(const struct file *file);
/*
 * Wakes the threads that wait for a change, and adds the object to the ready lists of epoll instances that watch it for
 * one of `events`. These are the events for which Linux wakes the waiters. Must be called after each change that can
 * end a wait.
 */
void file_changed(const void *object, uint32_t events);
/* Waits until any object changes. Returns 0, -ETIMEDOUT or -EINTR. */
long change_wait(uint64_t deadline);
/* Returns whether a thread is in change_wait(). */
bool change_awaited(void);
/* Waits in a call that reads or writes a file. Returns 0, -EAGAIN with O_NONBLOCK, or -ERESTART. */
long file_wait(const struct file *file);

/* epoll.c */

/* Adds an object to ready lists, see file_changed(). */
void epoll_note(const void *object, uint32_t events);
/* Returns whether epoll_wait() has events to return. */
bool epoll_is_ready(const struct file *epoll);
/* Removes a file from all epoll instances. If the file is an epoll instance, removes its entries. */
void epoll_forget(const struct file *file);

#endif
