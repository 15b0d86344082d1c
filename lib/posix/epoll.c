// SPDX-License-Identifier: BSD-2-Clause
/*
 * Linux's epoll(7). Entries of all instances are in one table. An entry is in the ready list of its instance while its
 * `order` is not 0. epoll_wait() takes the entries in this order, and tests whether their events hold. posix_lock()
 * guards entries.
 */
#include <linux/eventpoll.h>
#include <linux/fcntl.h>

#include "call.h"
#include "clock.h"
#include "posix.h"
#include "ready.h"
#include "signals.h"

#define ENTRIES 256
#define CHAIN_MAX 5 /* instances that watch each other in a chain, as on current kernels of Linux */
#define ALWAYS_WATCHED ((uint32_t)(EPOLLERR | EPOLLHUP))
#define EVENTS_MAX (0x7fffffff / sizeof(struct epoll_event))
/* Bits of `wanted.events` that are not events. EPOLLONESHOT disables an entry by clearing all other bits. */
#define OPTIONS ((uint32_t)(EPOLLWAKEUP | EPOLLONESHOT | EPOLLET | EPOLLEXCLUSIVE))
#define WITH_EXCLUSIVE                                                                             \
	((uint32_t)(EPOLLIN | EPOLLOUT | EPOLLERR | EPOLLHUP | EPOLLWAKEUP | EPOLLET |             \
		    EPOLLEXCLUSIVE))

struct entry {
	const struct file *epoll; /* NULL: not in use */
	const struct file *file;
	word descriptor; /* argument of EPOLL_CTL_ADD */
	const void *object;
	struct epoll_event wanted;
	uint64_t order;
};

static struct entry entries[ENTRIES];
static unsigned int entries_end; /* entries from here on were never used */
static uint64_t orders;

/* Returns the events of an entry to report now. */
static uint32_t entry_events(const struct entry *entry)
{
	return file_events(entry->file) & entry->wanted.events & ~OPTIONS;
}

static void entry_queue(struct entry *entry)
{
	if (!entry->order)
		entry->order = ++orders;
}

/* Adds an entry to its ready list. Other instances that watch this instance see that as a change. */
static void entry_notify(struct entry *entry)
{
	entry_queue(entry);
	epoll_note(entry->epoll, POLLIN);
}

void epoll_note(const void *object, uint32_t events)
{
	for (unsigned int i = 0; i < entries_end; i++)
		if (entries[i].epoll && entries[i].object == object &&
		    entries[i].wanted.events & events & ~OPTIONS)
			entry_notify(&entries[i]);
}

bool epoll_is_ready(const struct file *epoll)
{
	for (unsigned int i = 0; i < entries_end; i++)
		if (entries[i].epoll == epoll && entries[i].order && entry_events(&entries[i]))
			return true;
	return false;
}

void epoll_forget(const struct file *file)
{
	for (unsigned int i = 0; i < entries_end; i++)
		if (entries[i].epoll == file || entries[i].file == file)
			entries[i].epoll = NULL;
}

/* --- epoll_create(), epoll_ctl() */

long call_epoll_create1(word flags)
{
	struct file *file;
	long status;

	if (flags & ~(word)EPOLL_CLOEXEC)
		return -EINVAL;
	file_lock();
	status = file_open_new(FILE_EPOLL, O_RDWR | flags, &file);
	file_unlock();
	return status;
}

long call_epoll_create(word size)
{
	return (int)size > 0 ? call_epoll_create1(0) : -EINVAL;
}

/* Files of a file system can always be read and written, and Linux refuses to watch them. */
static bool is_watchable(const struct file *file)
{
	return file->kind != FILE_NODE || file->node->kind == NODE_RANDOM;
}

static struct entry *entry_find(const struct file *epoll, const struct file *file, word descriptor)
{
	for (unsigned int i = 0; i < entries_end; i++)
		if (entries[i].epoll == epoll && entries[i].file == file &&
		    entries[i].descriptor == descriptor)
			return &entries[i];
	return NULL;
}

static struct entry *entry_unused(void)
{
	for (unsigned int i = 0; i < ENTRIES; i++)
		if (!entries[i].epoll) {
			entries_end = entries_end > i ? entries_end : i + 1;
			return &entries[i];
		}
	return NULL;
}

/* Sets the events that an entry waits for. The entry is ready immediately if one of them holds. */
static void entry_set(struct entry *entry, const struct epoll_event *wanted)
{
	entry->wanted = *wanted;
	entry->wanted.events |= ALWAYS_WATCHED;
	if (entry_events(entry)) {
		entry_queue(entry);
		file_changed(entry->epoll, POLLIN);
	}
}

/*
 * Returns the number of instances in the longest chain of instances that begins at `epoll`, each watched by the one
 * before it, or by the one after it if `above` is set. Chains have no cycles, and their length is limited, so that this
 * is bounded.
 */
static unsigned int chain_length(const struct file *epoll, bool above)
{
	unsigned int longest = 0;

	for (unsigned int i = 0; i < entries_end; i++) {
		const struct file *from = above ? entries[i].file : entries[i].epoll;
		const struct file *to = above ? entries[i].epoll : entries[i].file;
		unsigned int length;

		if (!entries[i].epoll || from != epoll || to->kind != FILE_EPOLL)
			continue;
		length = chain_length(to, above);
		longest = length > longest ? length : longest;
	}
	return longest + 1;
}

/* Returns whether an instance watches another one, also through others. */
static bool is_watching(const struct file *epoll, const struct file *watched)
{
	for (unsigned int i = 0; i < entries_end; i++)
		if (entries[i].epoll == epoll && entries[i].file->kind == FILE_EPOLL &&
		    (entries[i].file == watched || is_watching(entries[i].file, watched)))
			return true;
	return false;
}

/* Returns whether `epoll` must not watch the instance `file`, because of a cycle or a chain that is too long. */
static bool is_chain_refused(const struct file *epoll, const struct file *file)
{
	return is_watching(file, epoll) ||
	       chain_length(epoll, true) + chain_length(file, false) > CHAIN_MAX;
}

static long entry_change(const struct file *epoll, const struct file *file, word operation,
			 word descriptor, const struct epoll_event *wanted)
{
	struct entry *entry = entry_find(epoll, file, descriptor);

	if (operation == EPOLL_CTL_ADD) {
		if (entry)
			return -EEXIST;
		if (file->kind == FILE_EPOLL && is_chain_refused(epoll, file))
			return -ELOOP;
		entry = entry_unused();
		if (!entry)
			return -ENOSPC;
		*entry = (struct entry){ .epoll = epoll,
					 .file = file,
					 .descriptor = descriptor,
					 .object = file_object(file) };
	} else if (!entry) {
		return -ENOENT;
	} else if (operation == EPOLL_CTL_DEL) {
		entry->epoll = NULL;
		return 0;
	} else if (entry->wanted.events & EPOLLEXCLUSIVE) {
		return -EINVAL;
	}
	entry_set(entry, wanted);
	return 0;
}

/* Returns an error of epoll_ctl(), in Linux's order of checks. */
static long change_check(const struct file *epoll, const struct file *file, word operation,
			 const struct epoll_event *wanted)
{
	if (!epoll || !file)
		return -EBADF;
	if (!is_watchable(file))
		return -EPERM;
	if (epoll->kind != FILE_EPOLL || file == epoll)
		return -EINVAL;
	if (operation != EPOLL_CTL_ADD && operation != EPOLL_CTL_MOD && operation != EPOLL_CTL_DEL)
		return -EINVAL;
	if (operation != EPOLL_CTL_DEL && wanted->events & EPOLLEXCLUSIVE &&
	    (operation == EPOLL_CTL_MOD || wanted->events & ~WITH_EXCLUSIVE ||
	     file->kind == FILE_EPOLL))
		return -EINVAL;
	return 0;
}

long call_epoll_ctl(word epoll, word operation, word descriptor, word event)
{
	const struct epoll_event *wanted = (const struct epoll_event *)event;
	const struct file *instance, *file;
	long status;

	sockets_update();
	file_lock();
	instance = descriptor_file(epoll);
	file = descriptor_file(descriptor);
	status = change_check(instance, file, operation, wanted);
	if (!status) {
		posix_lock();
		status = entry_change(instance, file, operation, descriptor, wanted);
		posix_unlock();
	}
	file_unlock();
	return status;
}

/* --- epoll_wait() */

/* Returns the entry that was first in the ready list, up to `last`, or NULL. */
static struct entry *entry_first(const struct file *epoll, uint64_t last)
{
	struct entry *first = NULL;

	for (unsigned int i = 0; i < entries_end; i++) {
		struct entry *entry = &entries[i];

		if (entry->epoll == epoll && entry->order && entry->order <= last &&
		    (!first || entry->order < first->order))
			first = entry;
	}
	return first;
}

/*
 * Removes ready entries from the list and stores their events. An entry with neither EPOLLET nor EPOLLONESHOT moves to
 * the end of the list, so that the next call tests it again.
 */
static long events_take(const struct file *epoll, struct epoll_event *to, int max)
{
	const uint64_t last = orders;
	struct entry *entry;
	int count = 0;

	while (count < max && (entry = entry_first(epoll, last))) {
		const uint32_t events = entry_events(entry);

		entry->order = 0;
		if (!events)
			continue;
		to[count++] = (struct epoll_event){ events, entry->wanted.data };
		if (entry->wanted.events & EPOLLONESHOT)
			entry->wanted.events &= OPTIONS;
		else if (!(entry->wanted.events & EPOLLET))
			entry_queue(entry);
	}
	return count;
}

static long epoll_wait_until(word descriptor, word to, int max, uint64_t deadline)
{
	struct file *epoll;
	long count, status = 0;

	if (max <= 0 || (unsigned int)max > EVENTS_MAX)
		return -EINVAL;
	epoll = file_get(descriptor);
	if (!epoll)
		return -EBADF;
	if (epoll->kind != FILE_EPOLL) {
		file_put(epoll);
		return -EINVAL;
	}
	for (;;) {
		const bool is_last = status;

		sockets_update();
		posix_lock();
		count = events_take(epoll, (struct epoll_event *)to, max);
		if (!count && !is_last)
			status = change_wait(deadline);
		posix_unlock();
		if (count || is_last)
			break;
	}
	file_put(epoll);
	return count || status == -ETIMEDOUT ? count : status;
}

static long epoll_wait_masked(word descriptor, word to, word max, uint64_t deadline, word mask,
			      word size)
{
	long status;

	if (mask && size != sizeof(uint64_t))
		return -EINVAL;
	if (mask)
		mask_replace(posix_self(), *(const uint64_t *)mask);
	status = epoll_wait_until(descriptor, to, (int)max, deadline);
	if (mask)
		mask_settle(posix_self(), status);
	return status;
}

long call_epoll_pwait(word descriptor, word to, word max, word ms, word mask, word size)
{
	return epoll_wait_masked(descriptor, to, max, clock_after_ms((int)ms), mask, size);
}

long call_epoll_wait(word descriptor, word to, word max, word ms)
{
	return call_epoll_pwait(descriptor, to, max, ms, 0, 0);
}

long call_epoll_pwait2(word descriptor, word to, word max, word time, word mask, word size)
{
	const struct timespec *wanted = (const struct timespec *)time;

	if (wanted && time_bad(wanted))
		return -EINVAL;
	return epoll_wait_masked(descriptor, to, max, wanted ? clock_after(wanted) : LIMPET_NEVER,
				 mask, size);
}
