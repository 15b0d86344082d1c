/* SPDX-License-Identifier: GPL-2.0 */
/* A process that makes system calls and prints them with lib/guest, while strace watches it. */
#ifndef TRACED_H
#define TRACED_H

#include <stddef.h>
#include <stdint.h>

/* The id of this process. A call of getpid() would appear in strace's output. */
extern long own_id;

/* Makes a call, and adds its line to the log. Returns the value of the register, which is negative for an error. */
long traced(long number, long a, long b, long c, long d, long e, long f);

#define TRACED(number, a, b, c, d, e, f, ...)                                                      \
	traced(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
/* Makes the call with that name, with up to six arguments. */
#define CALL(name, ...) TRACED(__NR_##name, ##__VA_ARGS__, 0, 0, 0, 0, 0, 0)

/* Each function makes the calls of one subject. */
void trace_files(void);
void trace_memory(void);
void trace_sockets(void);
void trace_ready(void);
void trace_signals(void);
void trace_processes(void);
void trace_time(void);
void trace_odd(void);
void trace_all_values(void);

#endif
