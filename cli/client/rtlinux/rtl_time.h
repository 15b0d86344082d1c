/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rtl_time.h of RTLinux for Linux programs: the types of records that modules send, and arithmetic
 * with struct timespec.
 */
#ifndef RTLINUX_RTL_TIME_H
#define RTLINUX_RTL_TIME_H

#include <time.h>

#include "rtl_conf.h"

typedef long long hrtime_t; /* nanoseconds */

#define NSECS_PER_SEC 1000000000
#define HRTICKS_PER_SEC 1000000000
#define HRTIME_INFINITY 0x7fffffffffffffffLL
#define HRT_FROM_NS(x) (x)
#define HRT_TO_8254(x) ((hrtime_t)(x) / 838)
#define HRT_FROM_8254(x) ((hrtime_t)(x) * 838)

/* A time that is too large becomes HRTIME_INFINITY. */
static inline hrtime_t timespec_to_ns(const struct timespec *t)
{
	hrtime_t ns;

	if (__builtin_mul_overflow((hrtime_t)t->tv_sec, NSECS_PER_SEC, &ns) ||
	    __builtin_add_overflow(ns, t->tv_nsec, &ns))
		return t->tv_sec < 0 ? -HRTIME_INFINITY : HRTIME_INFINITY;
	return ns;
}

static inline struct timespec timespec_from_ns(hrtime_t ns)
{
	struct timespec t = { ns / NSECS_PER_SEC, ns % NSECS_PER_SEC };

	if (t.tv_nsec < 0) {
		t.tv_sec--;
		t.tv_nsec += NSECS_PER_SEC;
	}
	return t;
}

#define timespec_add_ns(t, n) ((void)(*(t) = timespec_from_ns(timespec_to_ns(t) + (n))))
#define timespec_add(a, b) timespec_add_ns(a, timespec_to_ns(b))
#define timespec_sub(a, b) timespec_add_ns(a, -timespec_to_ns(b))
#define timespec_normalize(t) timespec_add_ns(t, 0)
#define timespec_nz(t) ((t)->tv_sec != 0 || (t)->tv_nsec != 0)
#define timespec_lt(a, b) (timespec_to_ns(a) < timespec_to_ns(b))
#define timespec_gt(a, b) (timespec_to_ns(a) > timespec_to_ns(b))
#define timespec_le(a, b) (timespec_to_ns(a) <= timespec_to_ns(b))
#define timespec_ge(a, b) (timespec_to_ns(a) >= timespec_to_ns(b))
#define timespec_eq(a, b) (timespec_to_ns(a) == timespec_to_ns(b))

#endif
