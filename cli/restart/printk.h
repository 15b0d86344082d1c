/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds Linux's log in its memory, and reads a saved copy. Follows
 * kernel/printk/printk_ringbuffer.h. Positions and sizes come from the kernel's vmcoreinfo
 * (Documentation/admin-guide/kdump/vmcoreinfo.rst), so this code does not depend on the layout of a kernel version.
 */
#ifndef CLI_RESTART_PRINTK_H
#define CLI_RESTART_PRINTK_H

#include <stdbool.h>
#include <stddef.h>

#include <limpet/device.h>

/* The parts of a saved log, in this order. */
enum printk_part {
	PRINTK_VMCOREINFO,
	PRINTK_RINGBUFFER,
	PRINTK_DESCRIPTORS,
	PRINTK_INFOS,
	PRINTK_TEXT,
	PRINTK_PARTS
};

/*
 * Finds the log of the running Linux through /proc/kcore. Returns false if vmcoreinfo does not describe it, or it
 * cannot be read.
 */
bool printk_find(struct limpet_ioc_save *save);

/* A saved log. Each of the parts has `size` bytes at `data`. */
struct printk_saved {
	struct {
		const unsigned char *data;
		size_t size;
	} part[PRINTK_PARTS];
};

/*
 * Calls `line` for each message that the log still has, oldest first, with the microseconds since boot and `length`
 * bytes of text. The text can contain any bytes. Returns the number of messages, or a negative number if the log is
 * damaged.
 */
long printk_read(const struct printk_saved *saved,
		 void (*line)(void *to, unsigned long us, const char *text, size_t length),
		 void *to);

#endif
