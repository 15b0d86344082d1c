// SPDX-License-Identifier: GPL-2.0
/* traced LOG: makes system calls of all kinds. test_strace.py compares the log with strace's output. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <guest/format.h>

#include "traced.h"

#define MARK (-1111) /* a descriptor that does not exist */

static char log_text[1 << 18];
static size_t log_length;
long own_id;

/* Copies with a call that test_strace.py excludes from strace's output. */
static long copy_own(void *context, void *to, word address, word size)
{
	struct iovec own = { to, size }, from = { (void *)address, size };

	(void)context;
	return process_vm_readv((pid_t)own_id, &own, 1, &from, 1, 0) == (ssize_t)size ? 0 : -1;
}

static long call_linux(long number, const word *a)
{
	register long r10 asm("r10") = (long)a[3], r8 asm("r8") = (long)a[4],
			  r9 asm("r9") = (long)a[5];
	long result;

	asm volatile("syscall"
		     : "=a"(result)
		     : "0"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
		     : "rcx", "r11", "memory");
	return result;
}

long traced(long number, long a, long b, long c, long d, long e, long f)
{
	const word arguments[GUEST_ARGUMENTS] = { (word)a, (word)b, (word)c,
						  (word)d, (word)e, (word)f };
	const struct guest_memory memory = { copy_own, NULL };
	struct guest_line line;
	long result;

	guest_line_begin(&line, log_text + log_length, sizeof(log_text) - log_length, &memory,
			 number, arguments);
	result = call_linux(number, arguments);
	guest_line_end(&line, result);
	log_length += line.text.length;
	log_text[log_length++] = '\n';
	if (line.text.cut)
		abort();
	return result;
}

int main(int count, char **words)
{
	FILE *file = count == 2 ? fopen(words[1], "w") : NULL;

	if (!file)
		return 2;
	own_id = getpid();
	CALL(close, MARK);
	trace_files();
	trace_memory();
	trace_sockets();
	trace_ready();
	trace_signals();
	trace_processes();
	trace_time();
	trace_odd();
	trace_all_values();
	CALL(close, MARK);
	return fwrite(log_text, 1, log_length, file) != log_length || fclose(file);
}
