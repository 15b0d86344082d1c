/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/limpet/control: what its files do alike in both modes. See <limpet/device.h>. */
#ifndef HOST_LINUX_CONTROL_H
#define HOST_LINUX_CONTROL_H

#include <linux/fs.h>
#include <linux/mutex.h>
#include <limpet/device.h>

#define TRACE_PART 1024 /* maximum number of events per read */

struct system;

/* One open file. It can be bound once: in beside mode to the system that it loaded, or to a channel without a node. */
struct control_session {
	struct mutex binding;	/* held while the file is being bound */
	struct system *system;	/* beside; holds a reference */
	bool owner;		/* it loaded the system */
	u32 cpu, channel, seen; /* notifications */
	u64 pfn, pages;		/* memory of the channel; pages 0: not bound to one */
};

/* A copy of the structure at the caller's address. For an ioctl without a structure, the argument itself. */
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
 * The operations of a mode, one for each ioctl of <limpet/device.h>. Each gets a kernel copy of the caller's structure.
 * The copy is written back if the ioctl's direction says so. Each returns 0 or a negative errno, unless its comment
 * says otherwise. All run in process context and may sleep.
 */
struct control_operations {
	struct file_operations file;
	void (*close)(struct control_session *session); /* or NULL */
	long (*info)(struct limpet_ioc_info *info);
	long (*load)(struct control_session *session, struct limpet_ioc_load *load);
	long (*stop)(void);
	long (*stat)(struct limpet_ioc_stat *stat);
	/* Copies the first `size` bytes of the running system's image, or all of it. Returns how many it copied. */
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

/*
 * File operations of both modes. control_open() fails with EPERM without CAP_SYS_ADMIN. control_mmap() maps the whole
 * channel that the file is bound to; EBADFD: it is not bound to one, EINVAL: another size or a private mapping.
 */
int control_open(struct inode *inode, struct file *file);
int control_release(struct inode *inode, struct file *file);
int control_mmap(struct file *file, struct vm_area_struct *vma);
long control_ioctl(struct file *file, unsigned int command, unsigned long argument);
/*
 * Returns the events of poll(). `notified` counts the notifications so far. `ended` says that no more will come. Marks
 * the notifications as seen.
 */
__poll_t control_news(struct control_session *session, u32 notified, bool ended);

#endif
