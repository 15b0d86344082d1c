/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of ioctl() and accesses to the memory of the process that executes it, for handlers of
 * rtf_link_user_ioctl(). The argument of a command of _IOR(), _IOW() or _IOWR() is the address of a copy of the
 * process's bytes. No other memory of a process can be accessed. <rtlinux/api.h> includes this file.
 */
#ifndef RTLINUX_LINUX_USER_H
#define RTLINUX_LINUX_USER_H

#define _IOC_NONE 0u
#define _IOC_WRITE 1u
#define _IOC_READ 2u
#define _IOC(direction, type, number, size)                                                        \
	(((unsigned int)(direction) << 30) | ((unsigned int)(size) << 16) |                        \
	 ((unsigned int)(type) << 8) | (unsigned int)(number))
#define _IO(type, number) _IOC(_IOC_NONE, type, number, 0)
#define _IOR(type, number, kind) _IOC(_IOC_READ, type, number, sizeof(kind))
#define _IOW(type, number, kind) _IOC(_IOC_WRITE, type, number, sizeof(kind))
#define _IOWR(type, number, kind) _IOC(_IOC_READ | _IOC_WRITE, type, number, sizeof(kind))
#define _IOC_DIR(command) ((unsigned int)(command) >> 30)
#define _IOC_TYPE(command) ((unsigned int)(command) >> 8 & 255)
#define _IOC_NR(command) ((unsigned int)(command) & 255)
#define _IOC_SIZE(command) ((unsigned int)(command) >> 16 & 0x3fff)
#define FIONREAD 0x541b

/*
 * Copies if `user`, one of both addresses, and the bytes after it are in the copy of the process's bytes. Returns the
 * number of bytes that were not copied: 0 or `count`.
 */
unsigned long rtlinux_user_copy(void *to, const void *from, unsigned long count, const void *user);
#define copy_from_user(to, from, count) rtlinux_user_copy((to), (from), (count), (from))
#define copy_to_user(to, from, count) rtlinux_user_copy((to), (from), (count), (to))
#define get_user(value, from)                                                                      \
	({                                                                                         \
		__typeof__(*(from)) rtlinux_got = 0;                                               \
		const unsigned long rtlinux_missed =                                               \
			copy_from_user(&rtlinux_got, (from), sizeof(*(from)));                     \
		(value) = rtlinux_got;                                                             \
		rtlinux_missed ? -EFAULT : 0;                                                      \
	})
#define put_user(value, to)                                                                        \
	({                                                                                         \
		const __typeof__(*(to)) rtlinux_put = (value);                                     \
		copy_to_user((to), &rtlinux_put, sizeof(*(to))) ? -EFAULT : 0;                     \
	})
#define VERIFY_READ 0
#define VERIFY_WRITE 1
/* The copy functions check the addresses. */
#define verify_area(type, address, size) ((void)(type), (void)(address), (void)(size), 0)
#define access_ok(type, address, size) ((void)(type), (void)(address), (void)(size), 1)

#endif
