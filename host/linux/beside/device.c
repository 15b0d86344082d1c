// SPDX-License-Identifier: GPL-2.0
/* /dev/limpet/control beside: see <limpet/device.h>. */
#include <linux/module.h>
#include <linux/poll.h>
#include <asm/tsc.h>

#include <host/linux/control.h>
#include <host/linux/parts.h>
#include <kernel/stat.h>

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

static long device_trace(u64 kinds)
{
	long error = 0;

	mutex_lock(&system_lock);
	if (!system_current)
		error = -ENODEV;
	else if (!system_current->cpu[0]->trace.ring)
		error = -ENOENT;
	else
		trace_set(system_current, kinds);
	mutex_unlock(&system_lock);
	return error;
}

static void device_close(struct control_session *session)
{
	if (session->owner)
		system_close(session->system);
	else if (session->system)
		system_put(session->system);
}

static long device_load(struct control_session *session, struct limpet_ioc_load *load)
{
	struct system *system = system_load(load);

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

static long device_info(struct limpet_ioc_info *info)
{
	*info = (struct limpet_ioc_info){
		.version = LIMPET_DEVICE_VERSION,
		.state = LIMPET_STATE_EMPTY,
		.ticks_per_ms = tsc_khz,
		.pcid = entry_cr3_keep && boot_cpu_has(X86_FEATURE_INVPCID),
		.levels = pgtable_l5_enabled() ? 5 : 4,
		.xsave_size = hal_xsave_size(check_xsave_mask()),
	};

	mutex_lock(&system_lock);
	if (system_current)
		info_system(info, system_current);
	mutex_unlock(&system_lock);
	return 0;
}

static long device_stat(struct limpet_ioc_stat *stat)
{
	const u32 n = stat->number;
	const struct system *system;
	const struct host_thread *host;
	long error = 0;

	mutex_lock(&system_lock);
	system = system_current;
	if (!system)
		error = -ENODEV;
	else if (n >= system->cpus)
		error = -EINVAL;
	else {
		host = &system->host[n];
		stat_take(stat, system->cpu[n], system->share);
		stat->cpus = system->cpus;
		stat->cpu.linux_cpu = host->linux_cpu;
		stat->cpu.resumes = host->entry->resumes;
		stat->cpu.interrupted = host->entry->interrupted;
		stat->cpu.idles = host->idles;
		stat->cpu.shares = host->shares;
		if (!stat->first)
			stat->cpu.frames_free = stat_frames(system->cpu[n],
							    system->first_frame + n * system->share,
							    system->share);
	}
	mutex_unlock(&system_lock);
	return error;
}

static long device_trace_read(struct limpet_ioc_trace *read, void *to)
{
	long error = 0;

	mutex_lock(&system_lock);
	if (!system_current)
		error = -ENODEV;
	else if (read->cpu >= system_current->cpus)
		error = -EINVAL;
	else
		read->count = trace_read(system_current->cpu[read->cpu], &read->position, to,
					 read->count, &read->lost);
	mutex_unlock(&system_lock);
	return error;
}

static long device_image(void *to, u64 size)
{
	long got = -ENODEV;

	mutex_lock(&system_lock);
	if (system_current) {
		got = min(size, system_current->image_size);
		memcpy(to, system_current->image, got);
	}
	mutex_unlock(&system_lock);
	return got;
}

/* No host thread is left, or none that could still park. */
static bool all_gone(const struct system *system)
{
	for (u32 n = 0; n < system->cpus; n++)
		if (READ_ONCE(system->host[n].task) && READ_ONCE(system->host[n].armed))
			return false;
	return true;
}

static long device_stop(void)
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

/* Called with system_lock. */
static long channel_bind(struct control_session *session, struct limpet_ioc_channel *channel)
{
	struct system *system = system_current;
	const struct channel *kernels;

	if (!system)
		return -ENODEV;
	if (channel->cpu >= system->cpus || channel->number >= LIMPET_CHANNEL_FIRST)
		return -EINVAL;
	kernels = &system->cpu[channel->cpu]->channel[channel->number];
	channel->size = smp_load_acquire(&kernels->frames) * PAGE_SIZE;
	if (!channel->size)
		return -ENOENT;
	session->system = system;
	session->cpu = channel->cpu;
	session->channel = channel->number;
	kref_get(&system->refs);
	session->pfn = system->region.pfn + kernels->frame;
	session->pages = channel->size >> PAGE_SHIFT;
	return 0;
}

static long device_channel(struct control_session *session, struct limpet_ioc_channel *channel)
{
	long error;

	mutex_lock(&system_lock);
	error = channel_bind(session, channel);
	mutex_unlock(&system_lock);
	return error;
}

static long device_notify(struct control_session *session)
{
	struct system *system = session->system;

	if (!system || session->owner)
		return -EBADFD;
	mutex_lock(&system_lock);
	if (system == system_current) {
		inbox_put(&system->cpu[session->cpu]->inbox, INBOX_CHANNEL + session->channel);
		host_kick_cpu(system, session->cpu);
	}
	mutex_unlock(&system_lock);
	return 0;
}

static long device_other(struct control_session *session, unsigned int command,
			 const union control_argument *argument)
{
	if (command != LIMPET_IOC_ENTER)
		return -ENOTTY;
	return session->owner ? host_enter(session->system, &argument->enter) : -EBADFD;
}

/* The host thread's. */
static int device_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	const struct control_session *session = file->private_data;

	return session->owner ? host_service(session->system, !datasync) : -EBADFD;
}

static __poll_t device_poll(struct file *file, struct poll_table_struct *wait)
{
	struct control_session *session = file->private_data;
	struct system *system = session->system;

	if (!system || session->owner)
		return EPOLLERR;
	poll_wait(file, &system->channel_wait, wait);
	return control_news(session,
			    atomic_read(&system->channel_notified[session->cpu][session->channel]),
			    READ_ONCE(system->state) == LIMPET_STATE_DEAD);
}

const struct control_operations device_control = {
	.file = {
		.owner = THIS_MODULE,
		.open = control_open,
		.release = control_release,
		.unlocked_ioctl = control_ioctl,
		.fsync = device_fsync,
		.mmap = control_mmap,
		.poll = device_poll,
	},
	.close = device_close,
	.info = device_info,
	.load = device_load,
	.stop = device_stop,
	.stat = device_stat,
	.image = device_image,
	.channel = device_channel,
	.notify = device_notify,
	.trace = device_trace,
	.trace_read = device_trace_read,
	.other = device_other,
};
