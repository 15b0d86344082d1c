/* SPDX-License-Identifier: BSD-2-Clause */
/* Error numbers, those of Linux. */
#ifndef RTLINUX_ERRORS_H
#define RTLINUX_ERRORS_H

#define EPERM 1
#define ENOENT 2
#define ESRCH 3
#define EINTR 4
#define EIO 5
#define ENXIO 6
#define E2BIG 7
#define EBADF 9
#define EAGAIN 11
#define EWOULDBLOCK EAGAIN
#define ENOMEM 12
#define EACCES 13
#define EFAULT 14
#define EBUSY 16
#define EEXIST 17
#define ENODEV 19
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define ENOTTY 25
#define ENOSPC 28
#define ESPIPE 29
#define EPIPE 32
#define ERANGE 34
#define EDEADLK 35
#define ENAMETOOLONG 36
#define ENOSYS 38
#define EUNATCH 49
#define EMSGSIZE 90
#define EOPNOTSUPP 95
#define ENOTSUP EOPNOTSUPP
#define ETIMEDOUT 110
#define ECANCELED 125
#define ERESTARTSYS 512

#endif
