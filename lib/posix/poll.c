// SPDX-License-Identifier: BSD-2-Clause
/* poll() and select(): POSIX.1-2017, and Linux's poll(2) and select(2). */
#include <runtime/memory.h>
#include <runtime/time.h>

#include <linux/time.h>
#include <linux/types.h>

#include "call.h"
#include "clock.h"
#include "posix.h"
#include "ready.h"
#include "signals.h"

/* The events for which select() returns a descriptor in each of its three sets. */
#define EVENTS_READ ((uint32_t)(POLLRDNORM | POLLRDBAND | POLLIN | POLLHUP | POLLERR))
#define EVENTS_WRITE ((uint32_t)(POLLWRBAND | POLLWRNORM | POLLOUT | POLLERR))
#define EVENTS_OTHER ((uint32_t)POLLPRI)
#define WORD_BITS 64

/*
 * Checks the polled descriptors once. Returns the number with events, or an error. Requires file_lock(), then
 * posix_lock().
 */
typedef long look(void *polled, word count);

static uint32_t events_of(word descriptor)
{
	const struct file *file = descriptor_file(descriptor);

	return file ? file_events(file) : POLLNVAL;
}

/*
 * Waits until a descriptor has events, the deadline passes, or a signal arrives. SA_RESTART does not restart these
 * calls.
 */
static long descriptors_wait(look *look, void *polled, word count, uint64_t deadline)
{
	long status = 0, found;

	for (;;) {
		sockets_update();
		file_lock();
		posix_lock();
		found = look(polled, count);
		file_unlock();
		if (!found && !status)
			status = change_wait(deadline);
		posix_unlock();
		if (found || status)
			return found ? found : status == -ETIMEDOUT ? 0 : status;
	}
}

/* Waits with another signal mask of `size` bytes. Sets `time` to the remaining time. */
static long wait_masked(look *look, void *polled, word count, struct timespec *time, word mask,
			word size)
{
	struct posix_thread *thread = posix_self();
	uint64_t deadline = LIMPET_NEVER, now;
	long status;

	if ((mask && size != sizeof(uint64_t)) || (time && time_bad(time)))
		return -EINVAL;
	if (time)
		deadline = clock_after(time);
	if (mask)
		mask_replace(thread, *(const uint64_t *)mask);
	status = descriptors_wait(look, polled, count, deadline);
	if (mask)
		mask_settle(thread, status);
	now = limpet_time();
	if (time && deadline != LIMPET_NEVER)
		*time = time_of_ns(now < deadline ? clock_ns(deadline - now) : 0);
	return status;
}

/* --- poll() */

static long look_poll(void *polled, word count)
{
	struct pollfd *at = polled;
	long found = 0;

	for (word i = 0; i < count; i++) {
		uint32_t events = at[i].fd < 0 ? 0 : events_of((word)at[i].fd);

		at[i].revents = (short)events & (at[i].events | POLLERR | POLLHUP | POLLNVAL);
		found += at[i].revents != 0;
	}
	return found;
}

long call_poll(word polled, word count, word ms)
{
	if ((uint32_t)count > descriptors_limit)
		return -EINVAL;
	return descriptors_wait(look_poll, (void *)polled, (uint32_t)count,
				clock_after_ms((int)ms));
}

long call_ppoll(word polled, word count, word time, word mask, word size)
{
	if ((uint32_t)count > descriptors_limit)
		return -EINVAL;
	return wait_masked(look_poll, (void *)polled, (uint32_t)count, (struct timespec *)time,
			   mask, size);
}

/* --- select(). The first word of a set has a bit for each descriptor that a program can have */

_Static_assert(FILES_OPEN == WORD_BITS, "select() looks at one word of each set");

struct sets {
	uint64_t *set[3];   /* the program's, or NULL */
	uint64_t wanted[3]; /* their values before the call */
};

static long look_select(void *polled, word count)
{
	static const uint32_t events[3] = { EVENTS_READ, EVENTS_WRITE, EVENTS_OTHER };
	struct sets *sets = polled;
	uint64_t found[3] = { 0 };
	long sum = 0;

	for (word n = 0; n < count; n++) {
		const uint64_t bit = 1ul << n;
		uint32_t now;

		if (!((sets->wanted[0] | sets->wanted[1] | sets->wanted[2]) & bit))
			continue;
		now = events_of(n);
		if (now & POLLNVAL)
			return -EBADF;
		for (unsigned int i = 0; i < 3; i++)
			if (sets->wanted[i] & bit && now & events[i]) {
				found[i] |= bit;
				sum++;
			}
	}
	for (unsigned int i = 0; i < 3; i++)
		if (sets->set[i] && count)
			*sets->set[i] = found[i];
	return sum;
}

/* Restores the sets after an error, because Linux does not change them then. */
static long select_masked(word count, word read, word write, word other, struct timespec *time,
			  word mask, word size)
{
	struct sets sets = { .set = { (uint64_t *)read, (uint64_t *)write, (uint64_t *)other } };
	const word max = (int)count < FILES_OPEN ? count : FILES_OPEN;
	long status;

	if ((int)count < 0)
		return -EINVAL;
	for (unsigned int i = 0; i < 3; i++)
		if (sets.set[i] && max)
			sets.wanted[i] = *sets.set[i] & UINT64_MAX >> (WORD_BITS - max);
	status = wait_masked(look_select, &sets, max, time, mask, size);
	for (unsigned int i = 0; i < 3; i++)
		if (sets.set[i] && max && status < 0)
			*sets.set[i] = sets.wanted[i];
	return status;
}

long call_select(word count, word read, word write, word other, word time)
{
	struct timeval *wanted = (struct timeval *)time;
	struct timespec left;
	long status;

	if (!wanted)
		return select_masked(count, read, write, other, NULL, 0, 0);
	left.tv_sec = wanted->tv_sec + wanted->tv_usec / 1000000;
	left.tv_nsec = wanted->tv_usec % 1000000 * 1000;
	if (time_bad(&left))
		return -EINVAL;
	status = select_masked(count, read, write, other, &left, 0, 0);
	*wanted = (struct timeval){ left.tv_sec, left.tv_nsec / 1000 };
	return status;
}

/* The last argument points to the address and the size of the mask. */
long call_pselect6(word count, word read, word write, word other, word time, word masked)
{
	const word *mask = (const word *)masked;

	return select_masked(count, read, write, other, (struct timespec *)time, mask ? mask[0] : 0,
			     mask ? mask[1] : 0);
}
