// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cli/common/report.h>
#include <cli/common/snapshot.h>
#include <cli/common/system.h>
#include <client/device.h>

static int read_from(struct snapshot *snapshot, int fd)
{
	unsigned char *bytes;
	size_t size;
	int error = limpet_info(fd, &snapshot->info);

	if (error < 0)
		return error == -ENODEV ? -ENODATA : error;
	if (snapshot->info.state == LIMPET_STATE_EMPTY)
		return -ENODATA;
	error = limpet_stat(fd, &snapshot->stat);
	if (error < 0)
		return error == -ENODEV ? -ESRCH : error;
	if (!limpet_image_records(fd, &bytes, &size))
		image_take(&snapshot->image, bytes, size);
	snapshot_index(snapshot);
	return 0;
}

int snapshot_read_from(struct snapshot *snapshot, int fd)
{
	memset(snapshot, 0, sizeof(*snapshot));
	return read_from(snapshot, fd);
}

int snapshot_read(struct snapshot *snapshot)
{
	int fd = system_open();
	int error;

	if (fd < 0) {
		memset(snapshot, 0, sizeof(*snapshot));
		return fd;
	}
	error = snapshot_read_from(snapshot, fd);
	close(fd);
	return error;
}

int snapshot_update(struct snapshot *snapshot, int fd)
{
	int error;

	limpet_stat_free(&snapshot->stat);
	error = limpet_stat(fd, &snapshot->stat);
	snapshot_index(snapshot);
	return error;
}

bool snapshot_take(struct snapshot *snapshot)
{
	int error = snapshot_read(snapshot);

	if (error == -ENODATA)
		report("No system runs. Start one with `limpet run IMAGE`.");
	else if (error == -ESRCH)
		report("The system has ended by itself. See `dmesg`. Start a system with `limpet run IMAGE`.");
	else if (error)
		system_report(error);
	return !error;
}

void snapshot_release(struct snapshot *snapshot)
{
	image_close(&snapshot->image);
	limpet_stat_free(&snapshot->stat);
}

double snapshot_uptime(const struct snapshot *snapshot)
{
	return (double)snapshot->info.uptime_ns / 1e9;
}

double snapshot_percent(const struct snapshot *snapshot, const struct limpet_stat_thread *thread)
{
	double all = (double)snapshot->info.ticks_per_ms * snapshot_uptime(snapshot) * 1000;

	return all > 0 ? 100 * (double)thread->ticks / all : 0;
}

bool snapshot_failed(const struct snapshot *snapshot, unsigned int cpu, unsigned int component)
{
	const struct limpet_stat_thread *own = snapshot_own_thread(snapshot, cpu, component);

	return own && own->state == LIMPET_THREAD_DEAD;
}

uint64_t snapshot_invocations(const struct snapshot *snapshot, unsigned int cpu)
{
	const struct limpet_stat *stat = &snapshot->stat;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < stat->components; i++)
		if (stat->component[i].cpu == cpu)
			sum += stat->component[i].entered;
	return sum;
}

double snapshot_us(const struct snapshot *snapshot, uint64_t ticks)
{
	uint64_t per_ms = snapshot->info.ticks_per_ms;

	return per_ms ? (double)ticks * 1000 / (double)per_ms : 0;
}

/* A component's own thread has a lower number than its spare threads. Threads are in the order of numbers. */
void snapshot_index(struct snapshot *snapshot)
{
	const struct limpet_stat *stat = &snapshot->stat;

	memset(snapshot->own, 0, sizeof(snapshot->own));
	for (uint32_t i = 0; i < stat->threads; i++) {
		const uint32_t home = stat->thread[i].home;
		const struct limpet_image_component *component =
			image_component(&snapshot->image, home);

		if (component && home < LIMPET_COMPONENTS_MAX && component->priority &&
		    component->cpu == stat->thread[i].cpu && !snapshot->own[home])
			snapshot->own[home] = i + 1;
	}
}

const struct limpet_stat_thread *snapshot_own_thread(const struct snapshot *snapshot,
						     unsigned int cpu, unsigned int component)
{
	const struct limpet_image_component *home = image_component(&snapshot->image, component);
	const uint32_t own = component < LIMPET_COMPONENTS_MAX ? snapshot->own[component] : 0;

	return home && home->cpu == cpu && own && own <= snapshot->stat.threads
		       ? &snapshot->stat.thread[own - 1]
		       : NULL;
}

unsigned int snapshot_priority(const struct snapshot *snapshot,
			       const struct limpet_stat_thread *thread)
{
	const struct limpet_stat_thread *own =
		snapshot_own_thread(snapshot, thread->cpu, thread->home);

	return own && own->id == thread->id
		       ? image_component(&snapshot->image, thread->home)->priority
		       : 0;
}
