// SPDX-License-Identifier: GPL-2.0
/* Calls getppid. The status is 0 if it returns the parent's id. */
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	return syscall(SYS_getppid) <= 1;
}
