// SPDX-License-Identifier: BSD-2-Clause
/* The records of sockets, their last known states, and the watcher: the thread that waits for changes. */
#include <runtime/thread.h>
#include <sync/lock.h>

#include <linux/fcntl.h>

#include <import/sched.h>

#include "call.h"
#include "clock.h"
#include "posix.h"
#include "ready.h"
#include "socket.h"

#define HOPS_DEFAULT 64
#define READABLE ((uint32_t)(POLLIN | POLLRDNORM))
#define WRITABLE ((uint32_t)(POLLOUT | POLLWRNORM))

/* Bit n means socket n of lib/socket. A failed socket is only in `ended`. */
struct states {
	uint64_t receive, send, ended;
};

static struct socket records[FILES_OPEN];
static struct states known;
static bool started; /* net_begin() has succeeded, and the serving component has not crashed since */
static uint32_t crashes; /* number of crashes of the serving component */
/*
 * Held while states are read and stored, and sockets of lib/socket are created and closed. After file_lock(), before
 * posix_lock().
 */
static struct lock looking;
static struct posix_thread *watcher;

/* --- states */

static uint32_t stream_events(const struct socket *socket, const struct states *states)
{
	const uint64_t bit = 1ul << socket->number;
	const bool ended = states->ended & bit || socket->shut_read;

	switch (socket->state) {
	case SOCKET_NEW:
		return WRITABLE | POLLHUP;
	case SOCKET_LISTENS:
		return states->receive & bit ? READABLE : 0;
	case SOCKET_CONNECTS:
		return 0;
	default:
		return (states->receive & bit || ended ? READABLE : 0) | (ended ? POLLRDHUP : 0) |
		       (states->send & bit || socket->shut_write ? WRITABLE : 0) |
		       (ended && socket->shut_write ? POLLHUP : 0);
	}
}

static uint32_t events_in(const struct socket *socket, const struct states *states)
{
	if (socket->lost || socket->state == SOCKET_FAILED)
		return READABLE | WRITABLE | POLLRDHUP | POLLHUP | (socket->error ? POLLERR : 0);
	if (socket->stream)
		return stream_events(socket, states);
	return WRITABLE | (states->receive >> socket->number & 1 ? READABLE : 0);
}

uint32_t socket_events(const struct file *file)
{
	return events_in(file->socket, &known);
}

static void failure_note(struct socket *socket)
{
	if (socket->state == SOCKET_FAILED)
		return;
	socket->error = socket->state == SOCKET_CONNECTS ? ECONNREFUSED : ECONNRESET;
	socket->state = SOCKET_FAILED;
}

/* Stores the states of all sockets. Wakes the threads that wait for one of the new events. Requires posix_lock(). */
static void states_set(const struct states *now)
{
	const struct states before = known;

	known = *now;
	for (unsigned int i = 0; i < FILES_OPEN; i++) {
		struct socket *socket = &records[i];
		const uint64_t bit = 1ul << socket->number;
		uint32_t events;

		if (!socket->used || socket->lost)
			continue;
		events = events_in(socket, &before);
		if (socket->stream && now->ended & ~now->receive & bit)
			failure_note(socket);
		else if (socket->state == SOCKET_CONNECTS && now->send & bit)
			socket->state = SOCKET_CONNECTED;
		events = events_in(socket, now) & ~events;
		if (events)
			file_changed(socket, events);
	}
}

/* Marks all sockets as lost after a crash of the component that served them. Requires posix_lock(). */
static void sockets_lose(void)
{
	started = false;
	crashes++;
	for (unsigned int i = 0; i < FILES_OPEN; i++)
		if (records[i].used && !records[i].lost) {
			records[i].lost = true;
			records[i].error = ECONNRESET;
			file_changed(&records[i],
				     READABLE | WRITABLE | POLLRDHUP | POLLHUP | POLLERR);
		}
}

void sockets_update(void)
{
	struct states now;
	long status;

	if (!__atomic_load_n(&started, __ATOMIC_RELAXED))
		return;
	lock_take(&looking);
	status = net_look(&now.receive, &now.send, &now.ended);
	posix_lock();
	if (status < 0)
		sockets_lose();
	else
		states_set(&now);
	posix_unlock();
	lock_drop(&looking);
}

void socket_used_up(const struct socket *socket, bool send)
{
	bool waited_for;

	posix_lock();
	*(send ? &known.send : &known.receive) &= ~(1ul << socket->number);
	waited_for = change_awaited();
	posix_unlock();
	if (waited_for)
		sockets_update();
}

long socket_fail(struct socket *socket)
{
	int error;

	posix_lock();
	failure_note(socket);
	error = socket->error;
	socket->error = 0;
	posix_unlock();
	return -error;
}

long socket_block(struct file *file, bool send, word flags)
{
	const struct socket *socket = file->socket;
	const uint64_t limit = send ? socket->send_ns : socket->receive_ns;
	const uint64_t deadline = limit ? clock_after_ns(limit) : LIMPET_NEVER;
	long status = 0;

	if (file->flags & O_NONBLOCK || flags & MSG_DONTWAIT)
		return -EAGAIN;
	sockets_update();
	posix_lock();
	while (!status && !(socket_events(file) & (send ? WRITABLE : READABLE)))
		status = change_wait(deadline);
	posix_unlock();
	if (status == -ETIMEDOUT)
		return -EAGAIN;
	return status == -EINTR && !limit ? -ERESTART : status;
}

/* --- the watcher */

static bool is_any_open(void)
{
	for (unsigned int i = 0; i < FILES_OPEN; i++)
		if (records[i].used && !records[i].lost)
			return true;
	return false;
}

/*
 * Waits for changes of sockets, and stores them. Without sockets it waits until one is created. Ends with the program.
 */
static void watcher_main(void)
{
	for (;;) {
		bool idle;

		posix_lock();
		idle = !is_any_open();
		posix_unlock();
		if (posix_exiting)
			limpet_thread_exit(0);
		if (idle)
			sched_block_until(LIMPET_NEVER);
		else if (net_next(LIMPET_NEVER) != LIMPET_EAGAIN)
			sockets_update();
	}
}

/* --- creating and closing sockets */

long socket_error(long status)
{
	switch (status) {
	case LIMPET_ETIME:
		return -EAGAIN;
	case LIMPET_EBUSY:
		return -EADDRINUSE;
	case LIMPET_ENOENT:
		return -ENETUNREACH;
	case LIMPET_ENOMEM:
		return -ENOBUFS;
	case LIMPET_EQUOTA:
		return -EMFILE;
	case LIMPET_EPEER:
	case LIMPET_ECRASH:
		return -ECONNRESET;
	default:
		return -EINVAL;
	}
}

/* Starts the use of sockets, unless it has started. Requires `looking`. */
static long network_start(void)
{
	long status;

	if (started)
		return 0;
	status = net_begin();
	if (status == LIMPET_ECRASH)
		return -ENETDOWN;
	if (status < 0 && status != LIMPET_ESLOT)
		return -ENOBUFS;
	if (status < 0)
		return CALL_REFUSE(EAFNOSUPPORT,
				   "the system file has to import socket from a network "
				   "component, such as socket = \"net\"");
	if (!watcher)
		watcher = helper_start(watcher_main);
	if (!watcher)
		return -ENOMEM;
	__atomic_store_n(&started, true, __ATOMIC_RELAXED);
	return 0;
}

static struct socket *record_unused(void)
{
	for (unsigned int i = 0; i < FILES_OPEN; i++)
		if (!records[i].used)
			return &records[i];
	return NULL;
}

/* The state of a new socket is unknown until the next look(). */
static void states_clear(unsigned int number)
{
	known.receive &= ~(1ul << number);
	known.send &= ~(1ul << number);
	known.ended &= ~(1ul << number);
}

/* Makes a record and a descriptor. There is a record for each open file. Closes the socket if that fails. */
static long record_open(const struct socket *made, word flags)
{
	struct socket *socket;
	struct file *file;
	long status;

	file_lock();
	status = file_open_new(FILE_SOCKET, O_RDWR | flags, &file);
	posix_lock();
	socket = record_unused();
	if (status >= 0) {
		*socket = *made;
		states_clear(made->number);
		socket->lost = made->life != crashes;
		file->socket = socket;
		wake_later(watcher);
	}
	posix_unlock();
	file_unlock();
	if (status < 0)
		net_close(made->number);
	return status;
}

/* Creates a socket of lib/socket. Returns its number, or a negative error. */
static long number_create(bool stream, uint32_t *life)
{
	long status;

	lock_take(&looking);
	status = network_start();
	*life = crashes;
	if (!status) {
		status = net_create(stream ? NET_STREAM : NET_DATAGRAMS);
		status = status < 0 ? socket_error(status) : status;
	}
	lock_drop(&looking);
	return status;
}

long socket_open(bool stream, bool six, word flags)
{
	struct socket made = { .used = true,
			       .stream = stream,
			       .six = six,
			       .state = SOCKET_NEW,
			       .option = { [OPTION_HOPS] = HOPS_DEFAULT } };
	const long number = number_create(stream, &made.life);

	if (number < 0)
		return number;
	made.number = (uint8_t)number;
	return record_open(&made, flags);
}

long socket_open_accepted(long number, const struct socket *listener, word flags)
{
	const struct socket made = { .used = true,
				     .stream = true,
				     .six = listener->six,
				     .bound = true,
				     .state = SOCKET_CONNECTED,
				     .number = (uint8_t)number,
				     .life = listener->life,
				     .option = { [OPTION_HOPS] = HOPS_DEFAULT } };

	return record_open(&made, flags);
}

void socket_close(struct file *file)
{
	struct socket *socket = file->socket;

	lock_take(&looking);
	if (!socket->lost)
		net_close(socket->number);
	posix_lock();
	socket->used = false;
	posix_unlock();
	lock_drop(&looking);
}

struct file *socket_get(word descriptor, long *status)
{
	struct file *file = file_get(descriptor);

	*status = file ? -ENOTSOCK : -EBADF;
	if (!file || file->kind == FILE_SOCKET)
		return file;
	file_put(file);
	return NULL;
}

void sockets_end(void)
{
	uint64_t open = 0;

	lock_take(&looking);
	posix_lock();
	for (unsigned int i = 0; i < FILES_OPEN; i++)
		if (records[i].used && !records[i].lost) {
			records[i].lost = true;
			open |= 1ul << records[i].number;
		}
	if (watcher)
		wake_later(watcher);
	posix_unlock();
	for (; open; open &= open - 1)
		net_close(__builtin_ctzl(open));
	lock_drop(&looking);
}
