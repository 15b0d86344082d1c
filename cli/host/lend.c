// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include <limpet/device.h>

#include "lend.h"

/* Components leave their values in MXCSR and the x87 unit. C functions preserve the control words (System V ABI, 3.2.1). */
long host_lend(int fd)
{
	uint32_t mxcsr;
	uint16_t x87;
	long result;

	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
	do
		result = ioctl(fd, LIMPET_IOC_LEND) < 0 ? -errno : 1;
	while (result == -EINTR);
	__asm__ volatile("fninit\n\tfldcw %1\n\tldmxcsr %0" : : "m"(mxcsr), "m"(x87));
	return result;
}
