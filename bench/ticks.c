// SPDX-License-Identifier: GPL-2.0
/* Prints the time stamp: in counted runs, instructions since the machine was reset. */
#include <stdio.h>
#include <x86intrin.h>

int main(void)
{
	printf("%llu\n", __rdtsc());
	return 0;
}
