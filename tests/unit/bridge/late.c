// SPDX-License-Identifier: GPL-2.0
/*
 * Delays discovery in a program of Cyclone DDS that loads this library before all others. The program does not receive
 * the announcement of a writer until LATE_SAMPLES samples of that writer have arrived. So the writer sends samples to a
 * reader that does not know it yet. Cyclone requests the announcement again.
 *
 * The library overwrites the magic number of a datagram, and DDS drops the datagram. It reports on stderr when it
 * accepts the first announcement.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Numbers of the RTPS protocol. */
#define HEADER 20
#define DATA 0x15
#define HEARTBEAT 0x07
#define DATA_WRITER 12 /* offset of the writer in a DATA */
#define HEARTBEAT_WRITER 8
#define BUILT_IN 0xc0 /* in the last byte of a writer */
static const uint8_t publications[] = { 0, 0, 3, 0xc2 };

static atomic_ulong samples;
static atomic_flag reported = ATOMIC_FLAG_INIT;

/* Counts samples. Returns whether the datagram contains an announcement of a writer. */
static bool datagram_announces(const uint8_t *bytes, size_t size)
{
	bool announces = false;

	for (size_t at = HEADER, length; at + 16 <= size; at += 4 + length) {
		const uint8_t *part = bytes + at;

		length = part[2] | part[3] << 8;
		if (!length) /* the last one */
			length = size - at;
		if (part[0] == DATA && !(part[DATA_WRITER + 3] & BUILT_IN))
			atomic_fetch_add(&samples, 1);
		announces |= part[0] == DATA && !memcmp(part + DATA_WRITER, publications, 4);
		announces |= part[0] == HEARTBEAT &&
			     !memcmp(part + HEARTBEAT_WRITER, publications, 4);
	}
	return announces;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	ssize_t (*const next)(int, struct msghdr *, int) = dlsym(RTLD_NEXT, "recvmsg");
	const ssize_t size = next(fd, message, flags);
	uint8_t *bytes = message->msg_iov->iov_base;

	if (size < HEADER || !datagram_announces(bytes, (size_t)size))
		return size;
	if (atomic_load(&samples) < strtoul(getenv("LATE_SAMPLES"), NULL, 10))
		memset(bytes, 0, 4);
	else if (!atomic_flag_test_and_set(&reported))
		fprintf(stderr, "late: an announcement after %lu samples\n", atomic_load(&samples));
	return size;
}
