// SPDX-License-Identifier: GPL-2.0
/* /dev/limpet/control beside: see <limpet/device.h>. */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/tsc.h>

#include <host/linux/compat.h>
#include <host/linux/parts.h>
#include <kernel/stat.h>

/* One open file. */
struct session {
	struct mutex binding;  /* held while it becomes a loader's or a channel's */
	struct system *system; /* that it loaded, or whose channel it has; holds a reference */
	bool owner;	       /* it loaded the system */
	u32 cpu, channel;
	int seen; /* notifications */
};

static int device_open(struct inode *inode, struct file *file)
{
	struct session *session;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	session = kzalloc(sizeof(*session), GFP_KERNEL);
	if (!session)
		return -ENOMEM;
	mutex_init(&session->binding);
	file->private_data = session;
	return 0;
}

static struct session *tracer; /* protected by system_lock; NULL: nobody traces */

/* Called with system_lock. */
static void trace_set(struct system *system, u64 kinds)
{
	for (u32 n = 0; n < system->cpus; n++) {
		struct inbox *inbox = &system->cpu[n]->inbox;

		WRITE_ONCE(inbox->trace, kinds);
		hal_or(&inbox->requests, INBOX_TRACE);
		host_kick_cpu(system, n);
	}
}

static long ioc_trace(struct session *session, u64 kinds)
{
	long error = 0;

	mutex_lock(&system_lock);
	if (!system_current)
		error = -ENODEV;
	else if (!system_current->cpu[0]->trace.ring)
		error = -ENOENT;
	else if (tracer && tracer != session)
		error = -EBUSY;
	if (!error) {
		tracer = kinds ? session : NULL;
		trace_set(system_current, kinds);
	}
	mutex_unlock(&system_lock);
	return error;
}

static void trace_end(struct session *session)
{
	mutex_lock(&system_lock);
	if (tracer == session) {
		tracer = NULL;
		if (system_current)
			trace_set(system_current, 0);
	}
	mutex_unlock(&system_lock);
}

static int device_release(struct inode *inode, struct file *file)
{
	struct session *session = file->private_data;

	trace_end(session);
	if (session->owner)
		system_close(session->system);
	else if (session->system)
		system_put(session->system);
	kfree(session);
	return 0;
}

static long ioc_load(struct session *session, void __user *argument)
{
	struct limpet_ioc_load load;
	struct system *system;

	if (copy_from_user(&load, argument, sizeof(load)))
		return -EFAULT;
	system = system_load(&load);
	if (copy_to_user(argument, &load, sizeof(load)) && !IS_ERR(system)) {
		system_close(system);
		return -EFAULT;
	}
	if (IS_ERR(system))
		return PTR_ERR(system);
	session->system = system;
	session->owner = true;
	return 0;
}

static void info_system(struct limpet_ioc_info *info, const struct system *system)
{
	info->state = system->state;
	info->end_reason = system->end_reason;
	info->cpus = system->cpus;
	for (u32 n = 0; n < system->cpus; n++)
		info->cpu[n] = system->host[n].linux_cpu;
	info->host_pid = system->host_pid;
	info->linux_share = system->linux_share;
	info->uptime_ns = ktime_get_ns() - system->started_ns;
	info->image_size = system->image_size;
	info->region_size = system->region.pages << PAGE_SHIFT;
}

static long ioc_info(void __user *argument)
{
	struct limpet_ioc_info info = {
		.version = LIMPET_DEVICE_VERSION,
		.state = LIMPET_STATE_EMPTY,
		.ticks_per_ms = tsc_khz,
		.pcid = entry_cr3_keep && boot_cpu_has(X86_FEATURE_INVPCID),
		.levels = pgtable_l5_enabled() ? 5 : 4,
		.xsave_size = hal_xsave_size(check_xsave_mask()),
	};

	mutex_lock(&system_lock);
	if (system_current)
		info_system(&info, system_current);
	mutex_unlock(&system_lock);
	return copy_to_user(argument, &info, sizeof(info)) ? -EFAULT : 0;
}

static void stat_take(struct limpet_ioc_stat *stat, const struct system *system, u32 n)
{
	const struct host_thread *host = &system->host[n];
	const struct cpu *cpu = system->cpu[n];
	struct limpet_stat_cpu *s = &stat->cpu[n];

	stat_cpu(stat, cpu, system->share);
	stat_frames(stat, cpu, system->first_frame + n * system->share, system->share);
	for (unsigned int i = 0; i < STAT_OBJECTS; i++)
		stat_object(stat, cpu, i);
	s->linux_cpu = host->linux_cpu;
	s->resumes = host->entry->resumes;
	s->interrupted = host->entry->interrupted;
	s->idles = host->idles;
	s->shares = host->shares;
}

static long ioc_stat(void __user *argument)
{
	struct limpet_ioc_stat *stat = kvzalloc(sizeof(*stat), GFP_KERNEL);
	long error = 0;

	if (!stat)
		return -ENOMEM;
	mutex_lock(&system_lock);
	if (system_current) {
		stat->cpus = system_current->cpus;
		for (u32 n = 0; n < stat->cpus; n++)
			stat_take(stat, system_current, n);
	} else {
		error = -ENODEV;
	}
	mutex_unlock(&system_lock);
	if (!error && copy_to_user(argument, stat, sizeof(*stat)))
		error = -EFAULT;
	kvfree(stat);
	return error;
}

/* In parts of at most TRACE_PART events: the ring is no memory to sleep over. */
static long ioc_trace_read(void __user *argument)
{
	struct limpet_ioc_trace read;
	struct limpet_trace_event *copy;
	long error = 0;

	if (copy_from_user(&read, argument, sizeof(read)))
		return -EFAULT;
	read.count = min_t(u32, read.count, TRACE_PART);
	copy = kmalloc_array(TRACE_PART, sizeof(*copy), GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	mutex_lock(&system_lock);
	if (!system_current)
		error = -ENODEV;
	else if (read.cpu >= system_current->cpus)
		error = -EINVAL;
	else
		read.count = trace_read(system_current->cpu[read.cpu], &read.position, copy,
					read.count, &read.lost);
	mutex_unlock(&system_lock);
	if (!error &&
	    (copy_to_user(u64_to_user_ptr(read.buffer), copy, read.count * sizeof(*copy)) ||
	     copy_to_user(argument, &read, sizeof(read))))
		error = -EFAULT;
	kfree(copy);
	return error;
}

static long ioc_image(void __user *argument)
{
	struct limpet_ioc_image image;
	long error = 0;

	if (copy_from_user(&image, argument, sizeof(image)))
		return -EFAULT;
	mutex_lock(&system_lock);
	if (!system_current)
		error = -ENODEV;
	else if (image.size < system_current->image_size)
		error = -EINVAL;
	else if (copy_to_user(u64_to_user_ptr(image.buffer), system_current->image,
			      system_current->image_size))
		error = -EFAULT;
	mutex_unlock(&system_lock);
	return error;
}

/* No host thread is left, or none that could still park. */
static bool all_gone(const struct system *system)
{
	for (u32 n = 0; n < system->cpus; n++)
		if (READ_ONCE(system->host[n].task) && READ_ONCE(system->host[n].armed))
			return false;
	return true;
}

static long ioc_stop(void)
{
	struct system *system;
	long error;

	mutex_lock(&system_lock);
	system = system_current;
	if (system) {
		kref_get(&system->refs);
		system_end(system, LIMPET_END_STOP);
	}
	mutex_unlock(&system_lock);
	if (!system)
		return -ENODEV;
	error = wait_event_interruptible(system->gone, all_gone(system));
	system_put(system);
	return error;
}

static const struct channel *channel_of(const struct session *session)
{
	return &session->system->cpu[session->cpu]->channel[session->channel];
}

static long ioc_channel(struct session *session, void __user *argument)
{
	struct limpet_ioc_channel channel;
	long error = 0;

	if (copy_from_user(&channel, argument, sizeof(channel)))
		return -EFAULT;
	if (channel.number >= LIMPET_CHANNEL_FIRST)
		return -EINVAL;
	mutex_lock(&system_lock);
	if (!system_current) {
		error = -ENODEV;
	} else if (channel.cpu >= system_current->cpus) {
		error = -EINVAL;
	} else if (!system_current->cpu[channel.cpu]->channel[channel.number].frames) {
		error = -ENOENT;
	} else {
		session->system = system_current;
		session->cpu = channel.cpu;
		session->channel = channel.number;
		kref_get(&system_current->refs);
		channel.size = channel_of(session)->frames * PAGE_SIZE;
	}
	mutex_unlock(&system_lock);
	if (!error && copy_to_user(argument, &channel, sizeof(channel)))
		error = -EFAULT;
	return error;
}

static long ioc_notify(struct session *session)
{
	struct system *system = session->system;

	if (!system || session->owner)
		return -EBADFD;
	hal_or(&system->cpu[session->cpu]->inbox.channels, 1ul << session->channel);
	mutex_lock(&system_lock);
	if (system == system_current)
		host_kick_cpu(system, session->cpu);
	mutex_unlock(&system_lock);
	return 0;
}

static long ioc_enter(struct session *session, void __user *argument)
{
	struct limpet_ioc_enter enter;

	if (!session->owner)
		return -EBADFD;
	if (copy_from_user(&enter, argument, sizeof(enter)))
		return -EFAULT;
	return host_enter(session->system, &enter);
}

/* A descriptor is bound to a system once. */
static long ioc_bind(struct session *session, void __user *argument,
		     long (*bind)(struct session *session, void __user *argument))
{
	long error = mutex_lock_interruptible(&session->binding);

	if (error)
		return error;
	error = session->system ? -EBUSY : bind(session, argument);
	mutex_unlock(&session->binding);
	return error;
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	struct session *session = file->private_data;
	void __user *pointer = (void __user *)argument;

	switch (command) {
	case LIMPET_IOC_INFO:
		return ioc_info(pointer);
	case LIMPET_IOC_LOAD:
		return ioc_bind(session, pointer, ioc_load);
	case LIMPET_IOC_ENTER:
		return ioc_enter(session, pointer);
	case LIMPET_IOC_STOP:
		return ioc_stop();
	case LIMPET_IOC_STAT:
		return ioc_stat(pointer);
	case LIMPET_IOC_IMAGE:
		return ioc_image(pointer);
	case LIMPET_IOC_CHANNEL:
		return ioc_bind(session, pointer, ioc_channel);
	case LIMPET_IOC_NOTIFY:
		return ioc_notify(session);
	case LIMPET_IOC_TRACE:
		return ioc_trace(session, argument);
	case LIMPET_IOC_TRACE_READ:
		return ioc_trace_read(pointer);
	}
	return -ENOTTY;
}

/* The host thread's. */
static int device_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	const struct session *session = file->private_data;

	return session->owner ? host_service(session->system, !datasync) : -EBADFD;
}

static int device_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct session *session = file->private_data;
	const struct channel *channel;
	unsigned long size = vma->vm_end - vma->vm_start, frames;

	if (!session->system || session->owner)
		return -EBADFD;
	channel = channel_of(session);
	frames = smp_load_acquire(&channel->frames);
	if (vma->vm_pgoff || size != frames * PAGE_SIZE || !size)
		return -EINVAL;
	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	return remap_pfn_range(vma, vma->vm_start, session->system->region.pfn + channel->frame,
			       size, vma->vm_page_prot);
}

static __poll_t device_poll(struct file *file, struct poll_table_struct *wait)
{
	struct session *session = file->private_data;
	struct system *system = session->system;
	int now;

	if (!system || session->owner)
		return EPOLLERR;
	poll_wait(file, &system->channel_wait, wait);
	now = atomic_read(&system->channel_notified[session->cpu][session->channel]);
	if (now != session->seen) {
		session->seen = now;
		return EPOLLIN | EPOLLRDNORM;
	}
	return READ_ONCE(system->state) == LIMPET_STATE_DEAD ? EPOLLHUP : 0;
}

const struct file_operations device_operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.release = device_release,
	.unlocked_ioctl = device_ioctl,
	.fsync = device_fsync,
	.mmap = device_mmap,
	.poll = device_poll,
};
