// SPDX-License-Identifier: GPL-2.0
/* Prints the number of traps of a few thousand single steps. Each trap is an exception that exits. */
#include <signal.h>
#include <stdio.h>

static volatile sig_atomic_t traps;

static void trapped(int number)
{
	(void)number;
	traps++;
}

int main(void)
{
	signal(SIGTRAP, trapped);
	for (int i = 0; i < 1000; i++)
		asm volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tnop\n\tnop\n\tnop\n\t"
			     "pushfq\n\tandq $~0x100, (%%rsp)\n\tpopfq\n\tnop"
			     :
			     :
			     : "memory", "cc");
	printf("%d\n", (int)traps);
	return 0;
}
