// SPDX-License-Identifier: BSD-2-Clause
/*
 * Names of threads: /proc/self/task/TID/comm, which the C library uses for pthread_setname_np() and
 * pthread_getname_np() of other threads, and prctl(). Linux's proc(5). posix_lock() guards them.
 */
#include <runtime/memory.h>

#include <linux/prctl.h>

#include "call.h"
#include "file.h"
#include "parts.h"
#include "posix.h"

static const char prefix[] = "/proc/self/task/", suffix[] = "/comm";

word comm_thread(const char *path)
{
	const char *at = path + sizeof(prefix) - 1;
	word tid = 0;

	if (strlen(path) < sizeof(prefix) || memcmp(path, prefix, sizeof(prefix) - 1) != 0)
		return 0;
	for (; *at >= '0' && *at <= '9' && tid < UINT32_MAX; at++)
		tid = tid * 10 + (word)(*at - '0');
	return strcmp(at, suffix) == 0 && thread_of(tid) ? tid : 0;
}

/* Sets the name to the text up to its end, or to a line break. Linux drops the rest. */
static void name_set(struct posix_thread *thread, const char *text, size_t size)
{
	const size_t max = sizeof(thread->name) - 1;

	memset(thread->name, 0, sizeof(thread->name));
	for (size_t i = 0; i < size && i < max && text[i] && text[i] != '\n'; i++)
		thread->name[i] = text[i];
}

long comm_read(struct file *file, const struct parts *parts)
{
	struct posix_thread *thread;
	char text[sizeof(thread->name) + 1] = "";
	size_t size = parts_size(parts), length;

	posix_lock();
	thread = thread_of(file->count);
	if (thread)
		memcpy(text, thread->name, sizeof(thread->name));
	posix_unlock();
	if (!thread)
		return -ESRCH;
	length = strlen(text);
	text[length++] = '\n';
	if (file->at >= length)
		return 0;
	if (size > length - file->at)
		size = length - file->at;
	parts_copy(parts, 0, text + file->at, size, true);
	file->at += size;
	return (long)size;
}

long comm_write(const struct file *file, const struct parts *parts)
{
	const size_t size = parts_size(parts);
	struct posix_thread *thread;
	char text[sizeof(thread->name)];
	const size_t part = size < sizeof(text) ? size : sizeof(text);

	parts_copy(parts, 0, text, part, false);
	posix_lock();
	thread = thread_of(file->count);
	if (thread)
		name_set(thread, text, part);
	posix_unlock();
	return thread ? (long)size : -ESRCH;
}

/* Sets or returns the name of the calling thread, which only the program uses. Linux's prctl(2), PR_SET_NAME. */
long call_prctl(word option, word value, word c, word d, word e)
{
	struct posix_thread *thread = posix_self();

	(void)c;
	(void)d;
	(void)e;
	if (option != PR_GET_NAME && option != PR_SET_NAME)
		return CALL_REFUSE(EINVAL, "only names of threads can be set and read");
	posix_lock();
	if (option == PR_GET_NAME)
		memcpy((void *)value, thread->name, sizeof(thread->name));
	else
		name_set(thread, (const char *)value, sizeof(thread->name) - 1);
	posix_unlock();
	return 0;
}
