// SPDX-License-Identifier: BSD-2-Clause
/*
 * Implements send(), recv() and their other forms. Data pass through a part of the memory that the component shares
 * with the network component. A thread holds such a part only while it does not wait.
 */
#include <runtime/memory.h>

#include <asm/siginfo.h>
#include <asm/signal.h>

#include "call.h"
#include "parts.h"
#include "posix.h"
#include "signals.h"
#include "socket.h"

#define FLAGS_IGNORED 0x40008000u /* MSG_MORE, MSG_CMSG_CLOEXEC */
#define FLAGS_SERVED (FLAGS_IGNORED | MSG_TRUNC | MSG_DONTWAIT | MSG_WAITALL | MSG_NOSIGNAL)

/* --- receive */

/*
 * Receives data for byte `at` of the parts without waiting. Returns the number of bytes, 0 at the end of a stream, or
 * LIMPET_E... For a datagram that does not fit, the number is that of the whole datagram.
 */
static long piece_receive(const struct socket *socket, const struct parts *parts, size_t at,
			  size_t left, struct net_address *from)
{
	char *memory = socket->lost ? NULL : net_memory_get();
	const size_t max = socket->stream && left < NET_MEMORY_PART ? left : NET_MEMORY_PART;
	long status;

	if (!memory)
		return socket->lost ? LIMPET_ECRASH : LIMPET_ENOMEM;
	status = net_receive(socket->number, memory, max, from, 0);
	if (status > 0)
		parts_copy(parts, at, memory, (size_t)status < left ? (size_t)status : left, true);
	net_memory_put(memory);
	return status;
}

/* Returns the error for the status of a receive, or 0 for the end of the stream. */
static long receive_error(struct socket *socket, long status)
{
	if (socket->lost || status == LIMPET_EPEER)
		return socket_fail(socket);
	return status == LIMPET_ESTATE ? -ENOTCONN : socket_error(status);
}

/* Waits for the first data, then receives the available data. With MSG_WAITALL waits until all parts are full. */
static long receive(struct file *file, const struct parts *parts, word flags,
		    struct net_address *from)
{
	struct socket *socket = file->socket;
	const size_t size = parts_size(parts);
	size_t done = 0;
	long status;

	if (socket->stream && !size)
		return 0;
	for (;;) {
		status = socket->shut_read ? 0
					   : piece_receive(socket, parts, done, size - done, from);
		done += status > 0 ? (size_t)status : 0;
		if (status == LIMPET_ETIME && (!done || flags & MSG_WAITALL)) {
			status = socket_block(file, false, flags);
			if (status)
				break;
			continue;
		}
		if (status < 0 && !done)
			status = receive_error(socket, status);
		if (status <= 0 || !socket->stream || done == size ||
		    (status < (long)NET_MEMORY_PART && !(flags & MSG_WAITALL)))
			break;
	}
	if (done || !status)
		socket_used_up(socket, false);
	return done ? (long)done : status;
}

/* Receives, and returns the number of bytes that were stored, or of the datagram with MSG_TRUNC. */
static long message_receive(word descriptor, const struct parts *parts, word flags, word address,
			    word address_size, uint32_t *result_flags)
{
	struct net_address from = { 0 };
	const size_t size = parts_size(parts);
	long status;
	struct file *file = socket_get(descriptor, &status);

	if (!file)
		return status;
	if ((uint32_t)flags & ~FLAGS_SERVED)
		status =
			CALL_REFUSE(EOPNOTSUPP, "MSG_PEEK, MSG_OOB and other flags are not served");
	else
		status = receive(file, parts, flags, &from);
	if (status >= 0 && !file->socket->stream)
		address_write(file->socket, &from, address, address_size);
	else if (status >= 0 && address)
		*(uint32_t *)address_size = 0;
	if (status > (long)size) {
		*result_flags |= MSG_TRUNC;
		status = flags & MSG_TRUNC ? status : (long)size;
	}
	file_put(file);
	return status;
}

long call_recvfrom(word descriptor, word to, word size, word flags, word address, word address_size)
{
	const struct iovec part = { (void *)to, size };
	uint32_t result_flags = 0;

	return message_receive(descriptor, &(struct parts){ &part, 1 }, flags, address,
			       address_size, &result_flags);
}

/* Linux's struct msghdr. */
struct message {
	word name;
	uint32_t name_size;
	const struct iovec *part;
	word count;
	word control, control_size;
	uint32_t flags;
};

long call_recvmsg(word descriptor, word to, word flags)
{
	struct message *message = (struct message *)to;
	uint32_t result_flags = 0;
	const long status =
		message_receive(descriptor, &(struct parts){ message->part, message->count }, flags,
				message->name, (word)&message->name_size, &result_flags);

	if (status >= 0) {
		message->control_size = 0;
		message->flags = result_flags;
	}
	return status;
}

long socket_read(struct file *file, const struct parts *parts)
{
	const size_t size = parts_size(parts);
	struct net_address from;
	const long status = receive(file, parts, 0, &from);

	return status > (long)size ? (long)size : status;
}

/* --- send */

/* Sends at most one part of the shared memory without waiting. Returns the number of bytes, or LIMPET_E... */
static long piece_send(const struct socket *socket, const struct parts *parts, size_t at,
		       size_t left, const struct net_address *to)
{
	char *memory = socket->lost ? NULL : net_memory_get();
	const size_t size = left < NET_MEMORY_PART ? left : NET_MEMORY_PART;
	long status;

	if (!memory)
		return socket->lost ? LIMPET_ECRASH : LIMPET_ENOMEM;
	parts_copy(parts, at, memory, size, false);
	status = to ? net_send_to(socket->number, memory, size, *to)
		    : net_send(socket->number, memory, size, 0);
	net_memory_put(memory);
	return status;
}

static long broken(word flags)
{
	const struct signal_info info = { .code = SI_KERNEL };

	if (!(flags & MSG_NOSIGNAL)) {
		posix_lock();
		signal_post(posix_self(), SIGPIPE, &info);
		posix_unlock();
	}
	return -EPIPE;
}

static long stream_error(struct socket *socket, long status, word flags)
{
	const long failure = socket->lost || status == LIMPET_EPEER ? socket_fail(socket) : 0;

	if (failure)
		return failure;
	return status == LIMPET_EPEER || status == LIMPET_ESTATE || socket->lost
		       ? broken(flags)
		       : socket_error(status);
}

static long stream_send(struct file *file, const struct parts *parts, word flags)
{
	struct socket *socket = file->socket;
	const size_t size = parts_size(parts);
	size_t done = 0;
	long status = 0;

	while (done < size) {
		const size_t left = size - done;

		if (socket->shut_write || socket->state == SOCKET_NEW)
			return done ? (long)done : broken(flags);
		status = socket->state == SOCKET_CONNECTS
				 ? LIMPET_ETIME
				 : piece_send(socket, parts, done, left, NULL);
		if (status > 0) {
			done += (size_t)status;
			continue;
		}
		if (status != LIMPET_ETIME)
			return done ? (long)done : stream_error(socket, status, flags);
		socket_used_up(socket, true);
		status = socket_block(file, true, flags);
		if (status)
			return done ? (long)done : status;
	}
	return (long)done;
}

static long datagram_send(const struct socket *socket, const struct parts *parts,
			  const struct net_address *to)
{
	const size_t size = parts_size(parts);
	long status;

	if (size > NET_DATAGRAM_MAX)
		return CALL_REFUSE(EMSGSIZE, "a datagram has at most 1472 bytes");
	status = piece_send(socket, parts, 0, size, to);
	if (status >= 0)
		return status;
	return status == LIMPET_ESTATE ? -EDESTADDRREQ : socket_error(status);
}

static long message_send(struct file *file, const struct parts *parts, word flags, word address,
			 word size)
{
	const struct socket *socket = file->socket;
	struct net_address to;
	long status;

	if ((uint32_t)flags & ~FLAGS_SERVED)
		return CALL_REFUSE(EOPNOTSUPP, "MSG_OOB and other flags are not served");
	if (socket->stream)
		return stream_send(file, parts, flags);
	if (!address)
		return datagram_send(socket, parts, NULL);
	status = address_read(socket, address, size, &to);
	if (status)
		return status;
	to = address_destination(socket, to);
	return datagram_send(socket, parts, &to);
}

long call_sendto(word descriptor, word from, word size, word flags, word address, word address_size)
{
	const struct iovec part = { (void *)from, size };
	long status;
	struct file *file = socket_get(descriptor, &status);

	if (!file)
		return status;
	status = message_send(file, &(struct parts){ &part, 1 }, flags, address, address_size);
	file_put(file);
	return status;
}

long call_sendmsg(word descriptor, word from, word flags)
{
	const struct message *message = (const struct message *)from;
	long status;
	struct file *file = socket_get(descriptor, &status);

	if (!file)
		return status;
	status = message_send(file, &(struct parts){ message->part, message->count }, flags,
			      message->name, message->name_size);
	file_put(file);
	return status;
}

long socket_write(struct file *file, const struct parts *parts)
{
	return message_send(file, parts, 0, 0, 0);
}
