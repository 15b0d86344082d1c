/* SPDX-License-Identifier: BSD-2-Clause */
/* Open files. */
#ifndef POSIX_FILE_H
#define POSIX_FILE_H

#include <runtime/component.h>

#include "node.h"

#define FILES_OPEN 64 /* descriptors, and open files */

enum file_kind {
	FILE_FREE = 0,
	FILE_CONSOLE,
	FILE_NODE,
	FILE_PIPE,
	FILE_QUEUE,
	FILE_EVENT,
	FILE_TIMER,
	FILE_EPOLL,
	FILE_SOCKET,
	FILE_SIGNAL,
	FILE_COMM
};

struct parts; /* parts.h */
struct pipe;
struct queue;
struct timer;
struct socket;

struct file {
	uint8_t kind;
	uint32_t flags; /* O_... */
	uint32_t uses;	/* number of descriptors, and of system calls that use it */
	struct node *node;
	struct pipe *pipe;
	struct queue *queue;
	struct timer *timer;
	struct socket *socket;
	uint64_t at; /* position in bytes */
	uint64_t count; /* of an eventfd; signalfd: set of signals; name of a thread: its id; FIFO: see pipe.c */
	bool semaphore; /* EFD_SEMAPHORE */
	uint8_t lock;	/* LOCK_SH or LOCK_EX of flock(), or 0 */
};

/* The maximum number of the program's descriptors, which is RLIMIT_NOFILE. */
extern word descriptors_limit;

/* Sets up the tree of files, the current folder and descriptors 0, 1 and 2. Returns false if there is no memory. */
bool files_setup(const struct limpet_info *info);
/* shared.c: makes a file in /dev/shm of each channel of plain memory. Returns false if there is no memory. */
bool shared_setup(const struct limpet_info *info);
/* Opens the console as descriptors 0, 1 and 2. */
void descriptors_setup(void);

/* Lock and unlock open files, descriptors and nodes. A holder may take posix_lock(). */
void file_lock(void);
void file_unlock(void);

/* Returns the open file of a descriptor, which is in use until file_put(), or NULL. */
struct file *file_get(word descriptor);
/* Ends a use of an open file. Closes it if that was its last use. Takes file_lock(). */
void file_put(struct file *file);
/* Does the same as file_put(), but requires file_lock(). */
void file_drop(struct file *file);
/* Returns a free record of an open file, with one use, or NULL. Requires file_lock(). */
struct file *file_new(enum file_kind kind, uint32_t flags);
/*
 * Returns the lowest free descriptor from `min` on, or -EMFILE. The descriptor takes over the caller's use of `file`.
 * O_CLOEXEC in `flags` sets FD_CLOEXEC. Requires file_lock().
 */
long descriptor_new(struct file *file, word min, word flags);
/* Returns whether file_new() and descriptor_new() for any descriptor would succeed. Requires file_lock(). */
bool descriptor_is_free(void);
/* Read and set FD_CLOEXEC of a descriptor. Require file_lock(). */
bool descriptor_flag(word descriptor);
void descriptor_flag_set(word descriptor, bool set);
/* Returns the open file of a descriptor, without a use of it, or NULL. Requires file_lock(). */
struct file *descriptor_file(word descriptor);
/* Frees a descriptor. The caller takes over its use of the open file. Requires file_lock(). */
void descriptor_drop(word descriptor);
/*
 * Makes an open file and its descriptor from O_... in `flags`. Returns the descriptor or -EMFILE. Requires
 * file_lock().
 */
long file_open_new(enum file_kind kind, word flags, struct file **file);
/*
 * Returns whether another open file of the same node has a lock that excludes one of kind LOCK_SH or LOCK_EX. Requires
 * file_lock().
 */
bool file_is_excluded(const struct file *file, word kind);
/* flock.c: removes the lock of an open file, and wakes the threads that wait for one. Requires file_lock(). */
void lock_remove(struct file *file);
/* Returns the folder at which a path of the ...at() calls begins, or NULL. Requires file_lock(). */
struct node *folder_at(word descriptor);
/* Resolve the path of such a call. Return the values of path_find(), or -EBADF. For node_at() the node must exist. */
long path_at(word descriptor, word text, struct path *path);
long node_at(word descriptor, word text, struct path *path);
/* Returns the number of a node, for stat. */
uint64_t node_number(const struct node *node);
/* open.c: returns the permission bits of a new file or folder, which are those of `mode` that umask() permits. */
uint16_t mode_new(word mode);
/* Makes / the current folder. */
void folder_setup(void);

/* Writes text to the log. */
void console_write(const char *text, size_t size);
/* Ends an incomplete line of the program. */
void console_end_line(void);

/* Returns a pipe that is not in use, or NULL. Requires file_lock(). */
struct pipe *pipe_unused(void);
/*
 * Opens a named pipe with O_... in `flags`. Waits for the other end unless O_NONBLOCK or O_RDWR. Returns 0 and the file, or an error.
 * Requires file_lock(), and releases it during the wait.
 */
long fifo_open(struct node *node, uint32_t flags, struct file **file);
/* Opens both ends of an unused pipe, which is empty then. Requires file_lock(). */
void pipe_open(struct pipe *pipe);
/*
 * Transfer bytes. Return their number, or a negative error. Wait unless O_NONBLOCK. A read only waits for the first
 * bytes.
 */
long pipe_read(struct file *file, const struct parts *parts);
long pipe_write(struct file *file, const struct parts *parts);
/* Closes an end of a pipe, and wakes the threads that wait at the other end. Requires file_lock(). */
void pipe_close(struct file *file);
/* Returns the number of bytes in a pipe. */
long pipe_used(const struct file *file);
/* Returns the POLL... events that hold now. Requires posix_lock(). */
uint32_t pipe_events(const struct file *file);

/* event.c: read, write and events of an eventfd, like those of a pipe. */
long event_read(struct file *file, const struct parts *parts);
long event_write(struct file *file, const struct parts *parts);
uint32_t event_events(const struct file *file);

/* signal_file.c: read and events of a signalfd. `signal_files` is the object of all of them. */
extern const struct file signal_files;
long signal_read(struct file *file, const struct parts *parts);
uint32_t signal_events(const struct file *file);

/* comm.c: returns the id of the thread whose name is the content of a path, or 0. */
word comm_thread(const char *path);
long comm_read(struct file *file, const struct parts *parts);
long comm_write(const struct file *file, const struct parts *parts);

/* timer.c: read, close and events of a timerfd. */
long timer_read(struct file *file, const struct parts *parts);
void timer_close(struct file *file);
uint32_t timer_events(const struct file *file);

/* socket_data.c, socket.c: read, write, close and events of a socket. */
long socket_read(struct file *file, const struct parts *parts);
long socket_write(struct file *file, const struct parts *parts);
/* Requires file_lock(). */
void socket_close(struct file *file);
/* Returns the events that held at the last sockets_update(). */
uint32_t socket_events(const struct file *file);
/*
 * Reads the states of all sockets, and wakes the threads that wait for one that has changed. Must be called before a
 * thread waits for a socket, without a lock other than file_lock(). Invokes the network component once, or not at all
 * before the first socket.
 */
void sockets_update(void);
/* Closes all sockets in the network component, because the program ends. */
void sockets_end(void);

#endif
