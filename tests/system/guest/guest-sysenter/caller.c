// SPDX-License-Identifier: GPL-2.0
/* Calls getppid, and succeeds if it returns the parent. */
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	return syscall(SYS_getppid) <= 1;
}
