/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers of Linux that executives need besides those of <guest/numbers.h>: errors and signals, which have been the same
 * since the first x86-64 kernel. tests/unit/components/executive_test.c compares them with the C library's.
 */
#ifndef EXECUTIVE_LINUX_H
#define EXECUTIVE_LINUX_H

/* A call returns them as negative values. */
enum linux_error {
	LINUX_EPERM = 1,
	LINUX_ENOENT = 2,
	LINUX_EINTR = 4,
	LINUX_E2BIG = 7,
	LINUX_ECHILD = 10,
	LINUX_EAGAIN = 11,
	LINUX_ENOMEM = 12,
	LINUX_EFAULT = 14,
	LINUX_EBUSY = 16,
	LINUX_EINVAL = 22,
	LINUX_ENAMETOOLONG = 36,
	LINUX_ENOSYS = 38,
	LINUX_EOPNOTSUPP = 95,
	LINUX_ERRORS = 4095, /* results from -4095 to -1 are errors */
};

enum linux_signal {
	LINUX_SIGILL = 4,
	LINUX_SIGKILL = 9,
	LINUX_SIGSYS = 31,
};

#endif
