/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds Linux's log in its memory, and reads a saved copy. Follows
 * kernel/printk/printk_ringbuffer.h. Positions and sizes come from the kernel's vmcoreinfo
 * (Documentation/admin-guide/kdump/vmcoreinfo.rst), so the layout of no kernel version is built in.
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
 * Finds the log of the running Linux through /proc/kcore. Returns false if it is not described or
 * not readable.
 */
bool printk_find(struct limpet_ioc_save *save);

/* A saved log: parts as above, `size` bytes at `data` each. */
struct printk_saved {
	struct {
		const unsigned char *data;
		size_t size;
	} part[PRINTK_PARTS];
};

/*
 * Calls `line` for each message that is still there, oldest first: `us` since boot, `length` bytes of
 * text, which may hold anything. Returns how many; negative: it makes no sense as a log.
 */
long printk_read(const struct printk_saved *saved,
		 void (*line)(void *to, unsigned long us, const char *text, size_t length),
		 void *to);

#endif
