// SPDX-License-Identifier: BSD-2-Clause
/* Calls about the system, the program's limits and the program itself. */
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/rdrand.h>
#include <runtime/time.h>

#include <import/mem.h>

#include <asm/statfs.h>
#include <linux/fcntl.h>
#include <linux/magic.h>
#include <linux/resource.h>
#include <linux/sysinfo.h>
#include <linux/times.h>
#include <linux/utsname.h>

#include "call.h"
#include "clock.h"
#include "file.h"
#include "posix.h"

#define TICKS_PER_S 100 /* ticks of times() */

/* The name that sethostname() has set. It is the program's own: Linux and other programs keep theirs. */
static char host_name[__NEW_UTS_LEN + 1];
static bool host_named;

long call_sethostname(word name, word length)
{
	if ((int)length < 0 || length > __NEW_UTS_LEN)
		return -EINVAL;
	file_lock();
	memset(host_name, 0, sizeof(host_name));
	memcpy(host_name, (const void *)name, length);
	host_named = true;
	file_unlock();
	return 0;
}

long call_uname(word to)
{
	static const struct new_utsname name = {
		.sysname = "Linux", /* the library serves its system calls */
		.release = "6.1.0-limpet",
		.version = "#1 Limpet",
		.machine = "x86_64",
		.domainname = "(none)",
	};
	struct new_utsname *result = (struct new_utsname *)to;

	*result = name;
	file_lock();
	if (host_named)
		memcpy(result->nodename, host_name, sizeof(host_name));
	else
		memcpy(result->nodename, limpet_info()->name, LIMPET_NAME_MAX);
	file_unlock();
	return 0;
}

/* --- random numbers: from the processor, otherwise from the time stamp, with one line in the log */

static uint64_t weak_random(void)
{
	static uint64_t state;

	if (!state)
		limpet_print(
			"the processor has no RDRAND. Random numbers come from the time, and are not "
			"secret.\n");
	state += limpet_time() | 1;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dul;
}

void random_bytes(void *to, size_t size)
{
	uint8_t *at = to;
	uint64_t value;

	for (size_t part; size; size -= part, at += part) {
		if (!limpet_rdrand(&value))
			value = weak_random();
		part = size < sizeof(value) ? size : sizeof(value);
		memcpy(at, &value, part);
	}
}

long call_getrandom(word to, word size, word flags)
{
	(void)flags;
	random_bytes((void *)to, size);
	return (long)size;
}

/* --- limits and what was used */

static struct rlimit limits[RLIM_NLIMITS]; /* limits that the program has set */
static uint32_t limits_set;		   /* bit n: limits[n] is set */

/* Returns the limit that the system file sets. */
static struct rlimit limit_of_system(word resource)
{
	const uint64_t priority = limpet_info()->priority;

	switch (resource) {
	case RLIMIT_NOFILE:
		return (struct rlimit){ FILES_OPEN, FILES_OPEN };
	case RLIMIT_RTPRIO:
		return (struct rlimit){ priority, priority };
	case RLIMIT_CORE:
		return (struct rlimit){ 0, 0 };
	default:
		return (struct rlimit){ (uint64_t)RLIM_INFINITY, (uint64_t)RLIM_INFINITY };
	}
}

long call_getrlimit(word resource, word to)
{
	if (resource >= RLIM_NLIMITS)
		return -EINVAL;
	*(struct rlimit *)to = limits_set >> resource & 1 ? limits[resource]
							  : limit_of_system(resource);
	return 0;
}

/*
 * The system file sets the limits, so a program cannot raise them above these. It can lower the number of descriptors.
 * Lower values of other limits are stored, but have no effect.
 */
long call_setrlimit(word resource, word from)
{
	const struct rlimit *wanted = (const struct rlimit *)from;

	if (resource >= RLIM_NLIMITS || wanted->rlim_cur > wanted->rlim_max)
		return -EINVAL;
	if (wanted->rlim_max > limit_of_system(resource).rlim_max)
		return -EPERM;
	limits[resource] = *wanted;
	limits_set |= 1u << resource;
	if (resource == RLIMIT_NOFILE)
		descriptors_limit = wanted->rlim_cur;
	return 0;
}

long call_prlimit64(word pid, word resource, word new, word old)
{
	long status = 0;

	if (pid && pid != posix_pid())
		return -ESRCH;
	if (old)
		status = call_getrlimit(resource, old);
	return !status && new ? call_setrlimit(resource, new) : status;
}

/* A program has no children, so their time is 0. */
long call_getrusage(word who, word to)
{
	struct rusage *result = (struct rusage *)to;
	struct timespec time;
	uint64_t ns = 0;

	if ((int)who == RUSAGE_SELF)
		ns = clock_process_ns();
	else if ((int)who == RUSAGE_THREAD)
		clock_now(CLOCK_THREAD_CPUTIME_ID, &ns);
	else if ((int)who != RUSAGE_CHILDREN)
		return -EINVAL;
	time = time_of_ns(ns);
	memset(result, 0, sizeof(*result));
	result->ru_utime.tv_sec = time.tv_sec;
	result->ru_utime.tv_usec = time.tv_nsec / 1000;
	return 0;
}

long call_times(word to)
{
	struct tms *result = (struct tms *)to;

	if (result) {
		memset(result, 0, sizeof(*result));
		result->tms_utime = (long)(clock_process_ns() / (NS_PER_S / TICKS_PER_S));
	}
	return (long)(clock_ns(limpet_time()) / (NS_PER_S / TICKS_PER_S));
}

long call_sysinfo(word to)
{
	struct sysinfo *result = (struct sysinfo *)to;
	word used = 0, frames = 0;
	long left = mem_available(&used, &frames);

	memset(result, 0, sizeof(*result));
	result->uptime = (long)(clock_ns(limpet_time()) / NS_PER_S);
	result->freeram = left > 0 ? (word)left : 0;
	result->totalram = result->freeram + used;
	result->mem_unit = LIMPET_PAGE;
	result->procs = 1;
	return 0;
}

/*
 * Describes the file system as a tmpfs with the remaining memory, because all files are in memory. POSIX.1-2017,
 * statvfs().
 */
static void system_stat(struct statfs *to)
{
	word used = 0, frames = 0;
	const long left = mem_available(&used, &frames);

	*to = (struct statfs){ .f_type = TMPFS_MAGIC,
			       .f_bsize = LIMPET_PAGE,
			       .f_frsize = LIMPET_PAGE,
			       .f_blocks = (long)used + (left > 0 ? left : 0),
			       .f_bfree = left > 0 ? left : 0,
			       .f_bavail = left > 0 ? left : 0,
			       .f_files = nodes_count,
			       .f_ffree = 0,
			       .f_namelen = NODE_NAME_MAX };
	for (uint32_t i = 0; i < nodes_count; i++)
		to->f_ffree += !nodes[i].kind;
}

long call_statfs(word text, word to)
{
	struct path path;
	long status;

	file_lock();
	status = node_at((word)AT_FDCWD, text, &path);
	if (!status)
		system_stat((struct statfs *)to);
	file_unlock();
	return status;
}

long call_fstatfs(word descriptor, word to)
{
	struct file *file = file_get(descriptor);

	if (!file)
		return -EBADF;
	file_lock();
	system_stat((struct statfs *)to);
	file_drop(file);
	file_unlock();
	return 0;
}
