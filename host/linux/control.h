/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/limpet/control: what its files do alike in both modes. See <limpet/device.h>. */
#ifndef HOST_LINUX_CONTROL_H
#define HOST_LINUX_CONTROL_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <limpet/device.h>

#define TRACE_PART 1024 /* events that are read at once */

struct system;

/* One open file. It is bound once: to the system that it loaded, beside, or to a channel that has no node. */
struct control_session {
	struct mutex binding;	/* held meanwhile */
	struct system *system;	/* beside; holds a reference */
	bool owner;		/* it loaded the system */
	u32 cpu, channel, seen; /* notifications */
	u64 pfn, pages;		/* memory of the channel; pages 0: not bound to one */
};

/* What the caller's address leads to, or for an ioctl that has none the argument itself. */
union control_argument {
	struct limpet_ioc_info info;
	struct limpet_ioc_load load;
	struct limpet_ioc_enter enter;
	struct limpet_ioc_image image;
	struct limpet_ioc_channel channel;
	struct limpet_ioc_keep keep;
	struct limpet_ioc_save save;
	struct limpet_ioc_trace trace;
	unsigned long value;
};

/*
 * What a mode does for an ioctl of <limpet/device.h>. Each gets a copy of the caller's structure, which is given back
 * where the ioctl says so, and returns 0 or a negative errno, or what else is said.
 */
struct control_operations {
	struct file_operations file;
	void (*close)(struct control_session *session); /* or NULL */
	long (*info)(struct limpet_ioc_info *info);
	long (*load)(struct control_session *session, struct limpet_ioc_load *load);
	long (*stop)(void);
	long (*stat)(struct limpet_ioc_stat *stat);
	/* Copies the image of the system that runs to `to`; returns its size. -EINVAL: above `size`. */
	long (*image)(void *to, u64 size);
	long (*channel)(struct control_session *session, struct limpet_ioc_channel *channel);
	long (*notify)(struct control_session *session);
	long (*trace)(u64 kinds);
	/* At most TRACE_PART events, to `to`. */
	long (*trace_read)(struct limpet_ioc_trace *read, void *to);
	/* All others. */
	long (*other)(struct control_session *session, unsigned int command,
		      const union control_argument *argument);
};

/* device.c, beside and beneath. */
extern const struct control_operations device_control, beneath_control;

int control_open(struct inode *inode, struct file *file);
int control_release(struct inode *inode, struct file *file);
int control_mmap(struct file *file, struct vm_area_struct *vma);
long control_ioctl(struct file *file, unsigned int command, unsigned long argument);
/* What poll() says: `notified` is how many notifications have come, `ended` whether no more will. */
__poll_t control_news(struct control_session *session, u32 notified, bool ended);

#endif
