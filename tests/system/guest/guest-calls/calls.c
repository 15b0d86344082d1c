// SPDX-License-Identifier: GPL-2.0
/* Placeholder: see below. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

static int order(const void *a, const void *b)
{
	unsigned long x = *(unsigned long *)a, y = *(unsigned long *)b;
	return x < y ? -1 : x > y;
}
int main(int argc, char **argv)
{
	static unsigned long t[10000];
	long r = 0;
	syscall(500, atol(argv[1]), 0, 0);
	for (int i = 0; i < 10000; i++) {
		unsigned long a = __rdtsc();
		r = syscall(110);
		t[i] = __rdtsc() - a;
	}
	qsort(t, 10000, 8, order);
	printf("mode %s result %ld ppid min %lu median %lu p99 %lu max %lu; calls %ld results %ld\n", argv[1], r, t[0], t[5000], t[9900], t[9999], syscall(501, 0), syscall(501, 1));
	return 0;
}
