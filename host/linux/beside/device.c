// SPDX-License-Identifier: GPL-2.0
/* /dev/limpet/control beside: see <limpet/device.h>. */
#include <linux/module.h>
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

static void device_close(const struct file *file)
{
	if (file->private_data)
		system_close(file->private_data);
}

/* A file loads one system at most, because that is loaded until the file is closed. */
static long device_load(struct file *file, struct limpet_ioc_load *load)
{
	struct system *system = system_load(load);

	if (IS_ERR(system))
		return PTR_ERR(system);
	file->private_data = system;
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
	if (system)
		kref_get(&system->refs);
	mutex_unlock(&system_lock);
	if (!system)
		return -ENODEV;
	system_end(system, LIMPET_END_STOP);
	error = wait_event_interruptible(system->gone, all_gone(system));
	system_put(system);
	return error;
}

static long device_other(const struct file *file, unsigned int command,
			 const union control_argument *argument)
{
	if (command != LIMPET_IOC_ENTER)
		return -ENOTTY;
	return file->private_data ? host_enter(file->private_data, &argument->enter) : -EBADFD;
}

/* The host thread's. */
static int device_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	return file->private_data ? host_service(file->private_data, !datasync) : -EBADFD;
}

const struct control_operations device_control = {
	.file = {
		.owner = THIS_MODULE,
		.open = control_open,
		.release = control_release,
		.unlocked_ioctl = control_ioctl,
		.fsync = device_fsync,
	},
	.close = device_close,
	.info = device_info,
	.load = device_load,
	.stop = device_stop,
	.stat = device_stat,
	.image = device_image,
	.trace = device_trace,
	.trace_read = device_trace_read,
	.other = device_other,
};
