/* SPDX-License-Identifier: BSD-2-Clause */
/* <rtl_posixio.h>: devices of a module for its own open(). <rtlinux/api.h> includes this file. */
#ifndef RTLINUX_POSIXIO_H
#define RTLINUX_POSIXIO_H

struct rtl_file {
	struct rtl_file_operations *f_op;
	int f_minor; /* number at the end of the path */
	int f_flags; /* of open() */
	loff_t f_pos;
};

/*
 * The functions return 0 or more, or a negative error number. They run in the caller of open() and of the other calls.
 * A missing open() or release() succeeds. Other missing functions fail with EINVAL, llseek() with ESPIPE.
 */
struct rtl_file_operations {
	loff_t (*llseek)(struct rtl_file *file, loff_t offset, int from);
	ssize_t (*read)(struct rtl_file *file, char *to, size_t count, loff_t *at);
	ssize_t (*write)(struct rtl_file *file, const char *from, size_t count, loff_t *at);
	int (*ioctl)(struct rtl_file *file, unsigned int command, unsigned long argument);
	int (*mmap)(struct rtl_file *file, void *start, size_t length, int protection, int flags,
		    off_t offset, caddr_t *result);
	int (*open)(struct rtl_file *file);
	int (*release)(struct rtl_file *file);
};

/*
 * Makes a device for paths "/dev/NAME" and a minor number. Returns 0. -EINVAL: the major number is above 255. -EBUSY:
 * it has a device, or the module has 15 devices. The name is not copied.
 */
int rtl_register_rtldev(unsigned int major, const char *name,
			struct rtl_file_operations *operations);
/* Removes a device. Open files continue. Returns 0. -EINVAL: the number has no device of this name. */
int rtl_unregister_rtldev(unsigned int major, const char *name);
#define rtl_register_chrdev rtl_register_rtldev
#define rtl_unregister_chrdev rtl_unregister_rtldev
#define RTL_MINOR_FROM_FILEPTR(file) ((file)->f_minor)
int rtl_get_minor(int descriptor);

#endif
