/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HOST_LEND_H
#define HOST_LEND_H

#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>

#include <limpet/device.h>

/*
 * Lends the calling host thread to components by LIMPET_IOC_LEND of the device `fd`, until that call returns something
 * other than EINTR. Restores the control words of the vector registers and of the x87 unit, which components change and
 * C functions preserve (System V ABI, 3.2.1). Context: after LIMPET_IOC_ENTER. Returns 1 if the system has
 * ended, or a negative errno of that call.
 */
static inline long host_lend(int fd)
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

#endif
