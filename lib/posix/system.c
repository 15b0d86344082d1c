// SPDX-License-Identifier: BSD-2-Clause
/* What a program asks about the system, its limits and itself. */
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/rdrand.h>
#include <runtime/time.h>

#include <import/mem.h>

#include <linux/resource.h>
#include <linux/sysinfo.h>
#include <linux/times.h>
#include <linux/utsname.h>

#include "call.h"
#include "clock.h"
#include "file.h"
#include "posix.h"

#define TICKS_PER_S 100 /* of times() */

long call_uname(word to)
{
	static const struct new_utsname name = {
		.sysname = "Linux", /* whose system calls are served */
		.release = "6.1.0-limpet",
		.version = "#1 Limpet",
		.machine = "x86_64",
		.domainname = "(none)",
	};
	struct new_utsname *result = (struct new_utsname *)to;

	*result = name;
	memcpy(result->nodename, limpet_info()->name, LIMPET_NAME_MAX);
	return 0;
}

/* --- random numbers: the processor's; without these, the time stamp's, which is said once */

static uint64_t weak_random(void)
{
	static uint64_t state;

	if (!state)
		limpet_print("the processor has no RDRAND, random numbers are made of the time: "
			     "nothing secret may depend on them\n");
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

/* --- who it is: one process without a parent, of a user without a name */

long call_getpid(void)
{
	return posix_pid();
}

long call_getppid(void)
{
	return 0;
}

long call_getuid(void)
{
	return 0;
}

long call_geteuid(void)
{
	return 0;
}

long call_getgid(void)
{
	return 0;
}

long call_getegid(void)
{
	return 0;
}

long call_getpgid(word pid)
{
	return pid && pid != posix_pid() ? -ESRCH : (long)posix_pid();
}

/* --- limits and what was used */

static struct rlimit limit_of(word resource)
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
	*(struct rlimit *)to = limit_of(resource);
	return 0;
}

/* Limits are the system file's: a program may ask for less, and gets what it had. */
long call_setrlimit(word resource, word from)
{
	const struct rlimit *wanted = (const struct rlimit *)from;

	if (resource >= RLIM_NLIMITS || wanted->rlim_cur > wanted->rlim_max)
		return -EINVAL;
	return wanted->rlim_cur > limit_of(resource).rlim_max ? -EPERM : 0;
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

long call_getrusage(word who, word to)
{
	struct timespec time = time_of_ns(clock_process_ns());
	struct rusage *result = (struct rusage *)to;

	(void)who;
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
