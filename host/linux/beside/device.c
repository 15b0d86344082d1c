// SPDX-License-Identifier: GPL-2.0
/* /dev/limpet/control in beside mode, see <limpet/device.h>. */
#include <linux/module.h>
#include <asm/tsc.h>

#include <host/linux/control.h>
#include <host/linux/parts.h>
#include <kernel/stat.h>

/*
 * Takes system_lock, and returns the system that the session's calls concern. Without the lock, returns -ENODEV, or an
 * error of system_find(), as an ERR_PTR.
 */
static struct system *system_enter(const struct control_session *session)
{
	struct system *system;

	mutex_lock(&system_lock);
	system = session->loaded ?: session->selected ?: system_find(LIMPET_SYSTEM_ANY);
	if (!IS_ERR(system) && system->state == LIMPET_STATE_DEAD)
		system = ERR_PTR(-ENODEV);
	if (IS_ERR(system))
		mutex_unlock(&system_lock);
	return system;
}

/* Releases system_lock. Returns the result of the call. */
static long system_leave(long result)
{
	mutex_unlock(&system_lock);
	return result;
}

static long device_select(struct control_session *session, u32 id)
{
	struct system *system;

	mutex_lock(&system_lock);
	system = id == LIMPET_SYSTEM_ANY ? NULL : system_find(id);
	if (session->loaded)
		return system_leave(-EBUSY);
	if (IS_ERR(system))
		return system_leave(PTR_ERR(system));
	if (system)
		kref_get(&system->refs);
	swap(system, session->selected);
	if (system)
		system_put(system);
	return system_leave(0);
}

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

/*
 * Stops tracing in all systems, because only one session traces at a time, and its calls may now
 * concern another system or several.
 */
static void traces_end(void)
{
	mutex_lock(&system_lock);
	for (u32 i = 0; i < LIMPET_SYSTEMS_MAX; i++)
		if (systems[i] && systems[i]->cpu[0]->trace.ring)
			trace_set(systems[i], 0);
	mutex_unlock(&system_lock);
}

static long device_trace(const struct control_session *session, u64 kinds)
{
	struct system *system;

	if (!kinds)
		traces_end();
	system = system_enter(session);
	if (IS_ERR(system))
		return PTR_ERR(system);
	if (!system->cpu[0]->trace.ring)
		return system_leave(-ENOENT);
	trace_set(system, kinds);
	return system_leave(0);
}

static void device_close(struct control_session *session)
{
	if (session->loaded)
		system_close(session->loaded);
	if (session->selected)
		system_put(session->selected);
}

static long device_load(struct control_session *session, struct limpet_ioc_load *load,
			const void *image)
{
	return system_load(load, image, &session->loaded);
}

static void info_system(struct limpet_ioc_info *info, const struct system *system)
{
	info->id = system->id;
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

/* Describes only the machine if no system is loaded. */
static long device_info(const struct control_session *session, struct limpet_ioc_info *info)
{
	const struct system *system;

	*info = (struct limpet_ioc_info){
		.version = LIMPET_DEVICE_VERSION,
		.state = LIMPET_STATE_EMPTY,
		.ticks_per_ms = tsc_khz,
		.pcid = system_has_pcid(),
		.levels = pgtable_l5_enabled() ? 5 : 4,
		.xsave_size = hal_xsave_size(check_xsave_mask()),
	};

	system = system_enter(session);
	if (IS_ERR(system))
		return session->selected || PTR_ERR(system) != -ENODEV ? PTR_ERR(system) : 0;
	info_system(info, system);
	return system_leave(0);
}

static long device_stat(const struct control_session *session, struct limpet_ioc_stat *stat)
{
	const struct system *system = system_enter(session);
	const u32 n = stat->number;
	const struct host_thread *host;

	if (IS_ERR(system))
		return PTR_ERR(system);
	if (n >= system->cpus)
		return system_leave(-EINVAL);
	host = &system->host[n];
	stat_begin(stat, system->cpu[n], system->share);
	for (u32 i = 0; i < LIMPET_STAT_PIECE; i++)
		stat_add(stat, system->cpu[n], (word)stat->first + i);
	stat->cpus = system->cpus;
	stat->cpu.linux_cpu = host->linux_cpu;
	stat->cpu.idles = host->idles;
	stat->cpu.shares = host->shares;
	if (!stat->first)
		stat->cpu.frames_free = stat_frames(
			system->cpu[n], system->first_frame + n * system->share, system->share);
	return system_leave(0);
}

static long device_trace_read(const struct control_session *session, struct limpet_ioc_trace *read,
			      void *to)
{
	const struct system *system = system_enter(session);

	if (IS_ERR(system))
		return PTR_ERR(system);
	if (read->cpu >= system->cpus)
		return system_leave(-EINVAL);
	read->count =
		trace_read(system->cpu[read->cpu], &read->position, to, read->count, &read->lost);
	return system_leave(0);
}

static long device_image(const struct control_session *session, void *to, u64 size)
{
	const struct system *system = system_enter(session);

	if (IS_ERR(system))
		return PTR_ERR(system);
	size = min(size, system->image_size);
	memcpy(to, system->image, size);
	return system_leave(size);
}

/* Returns whether no host thread can run components any more. */
static bool all_stopped(const struct system *system)
{
	for (u32 n = 0; n < system->cpus; n++)
		if (READ_ONCE(system->host[n].task) && !READ_ONCE(system->host[n].lost))
			return false;
	return true;
}

static long device_stop(const struct control_session *session)
{
	struct system *system = system_enter(session);
	long error;

	if (IS_ERR(system))
		return PTR_ERR(system);
	kref_get(&system->refs);
	system_leave(0);
	system_end(system, LIMPET_END_STOP);
	error = wait_event_interruptible(system->waiters, all_stopped(system));
	system_put(system);
	return error;
}

static long device_other(const struct control_session *session, unsigned int command,
			 const union control_argument *argument)
{
	if (command != LIMPET_IOC_ENTER && command != LIMPET_IOC_LEND)
		return -ENOTTY;
	if (!session->loaded)
		return -EBADFD;
	return command == LIMPET_IOC_LEND ? host_lend(session->loaded)
					  : host_enter(session->loaded, &argument->enter);
}

const struct control_operations device_control = {
	.file = CONTROL_FILE,
	.close = device_close,
	.info = device_info,
	.load = device_load,
	.select = device_select,
	.stop = device_stop,
	.stat = device_stat,
	.image = device_image,
	.trace = device_trace,
	.trace_read = device_trace_read,
	.other = device_other,
};
