/* SPDX-License-Identifier: GPL-2.0 */
/* /dev/limpet/control: the code that both modes share. See <limpet/device.h>. */
#ifndef HOST_LINUX_CONTROL_H
#define HOST_LINUX_CONTROL_H

#include <linux/fs.h>
#include <limpet/device.h>

#define TRACE_PART 1024 /* maximum number of events per read */

/* A copy of the structure at the caller's address, or the argument itself if the ioctl has no structure. */
union control_argument {
	struct limpet_ioc_info info;
	struct limpet_ioc_load load;
	struct limpet_ioc_enter enter;
	struct limpet_ioc_image image;
	struct limpet_ioc_keep keep;
	struct limpet_ioc_save save;
	struct limpet_ioc_trace trace;
	unsigned long value;
};

struct system;

struct control_operations;

/* The private_data of an open file. In beneath mode both systems are NULL. */
struct control_session {
	const struct control_operations *ops; /* of the mode */
	struct system *loaded;		      /* system that was loaded by this file */
	struct system *selected;	      /* system of LIMPET_IOC_SELECT, with a reference */
	pid_t host; /* the process that loaded a system by this file; 0: unset */
};

/*
 * The operations of a mode, one for each ioctl of <limpet/device.h>. Each gets a kernel copy of the caller's structure.
 * The copy is written back if the ioctl's direction says so. Each returns 0 or a negative errno, unless its comment
 * says otherwise. All run in process context and may sleep.
 */
struct control_operations {
	struct file_operations file;
	void (*close)(struct control_session *session); /* or NULL */
	long (*info)(const struct control_session *session, struct limpet_ioc_info *info);
	/* Loads a checked image. On failure it may write to load->error, as image.c does. */
	long (*load)(struct control_session *session, struct limpet_ioc_load *load,
		     const void *image);
	long (*select)(struct control_session *session, u32 id);
	long (*stop)(const struct control_session *session);
	long (*stat)(const struct control_session *session, struct limpet_ioc_stat *stat);
	/* Copies the first `size` bytes of the system's image, or all of it, to `to`. Returns their number. */
	long (*image)(const struct control_session *session, void *to, u64 size);
	long (*trace)(const struct control_session *session, u64 kinds);
	/* Copies `count` of *read events, at most TRACE_PART, to `to`, and updates *read. */
	long (*trace_read)(const struct control_session *session, struct limpet_ioc_trace *read,
			   void *to);
	/* Handles all other ioctls. */
	long (*other)(const struct control_session *session, unsigned int command,
		      const union control_argument *argument);
};

/* beside/device.c and beneath/device.c. */
extern const struct control_operations device_control, beneath_control;

/* File operations of both modes. control_open() fails with EPERM without CAP_SYS_ADMIN, or with ENOMEM. */
int control_open(struct inode *inode, struct file *file);
int control_release(struct inode *inode, struct file *file);
long control_ioctl(struct file *file, unsigned int command, unsigned long argument);

/* clang-format off */
#define CONTROL_FILE { .owner = THIS_MODULE, .open = control_open, .release = control_release, \
		       .unlocked_ioctl = control_ioctl }
/* clang-format on */

#endif
