/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/limpet/control: the code that both modes share. See <limpet/device.h>. */
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
	struct system *system;	/* in beside mode; holds a reference */
	bool owner;		/* this file loaded the system */
	u32 cpu, channel, seen; /* notifications */
	u64 pfn, pages;		/* memory of the channel; pages is 0 if not bound to one */
};

/* A copy of the structure at the caller's address, or the argument itself if the ioctl has no structure. */
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
	/* Copies the first `size` bytes of the running system's image, or all of it, to `to`. Returns how many. */
	long (*image)(void *to, u64 size);
	long (*channel)(struct control_session *session, struct limpet_ioc_channel *channel);
	long (*notify)(struct control_session *session);
	long (*trace)(u64 kinds);
	/* Copies `count` of *read events, at most TRACE_PART, to `to`, and updates *read. */
	long (*trace_read)(struct limpet_ioc_trace *read, void *to);
	/* Handles all other ioctls. */
	long (*other)(struct control_session *session, unsigned int command,
		      const union control_argument *argument);
};

/* beside/device.c and beneath/device.c. */
extern const struct control_operations device_control, beneath_control;

/*
 * File operations of both modes. control_open() fails with EPERM without CAP_SYS_ADMIN. control_mmap() maps the whole
 * channel that the file is bound to. It fails with EBADFD if the file is not bound to a channel, and with EINVAL for
 * another size, an offset or a private mapping.
 */
int control_open(struct inode *inode, struct file *file);
int control_release(struct inode *inode, struct file *file);
int control_mmap(struct file *file, struct vm_area_struct *vma);
long control_ioctl(struct file *file, unsigned int command, unsigned long argument);
/*
 * Returns the events of poll() and marks the notifications as seen. `notified` is the number of notifications so far.
 * `ended` says that no more will follow.
 */
__poll_t control_news(struct control_session *session, u32 notified, bool ended);

#endif
