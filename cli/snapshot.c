// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <cli/report.h>
#include <cli/snapshot.h>
#include <client/device.h>

static bool take_from(struct snapshot *snapshot, int fd)
{
	unsigned char *bytes;
	size_t size;
	int error = limpet_info(fd, &snapshot->info);

	if (error < 0) {
		report_no_device(error);
		return false;
	}
	if (snapshot->info.state == LIMPET_STATE_EMPTY) {
		report("no system runs: `limpet run IMAGE` starts one");
		return false;
	}
	error = limpet_stat(fd, &snapshot->stat);
	if (error == -ENODEV) {
		report("the system has ended by itself, dmesg says why: `limpet run IMAGE` starts another");
		return false;
	}
	if (error < 0) {
		report("LIMPET_IOC_STAT: %s", strerror(-error));
		return false;
	}
	if (!limpet_image_copy(fd, &bytes, &size))
		image_take(&snapshot->image, bytes, size);
	return true;
}

bool snapshot_take(struct snapshot *snapshot)
{
	int fd = limpet_open();
	bool ok;

	memset(snapshot, 0, sizeof(*snapshot));
	if (fd < 0) {
		report_no_device(fd);
		return false;
	}
	ok = take_from(snapshot, fd);
	close(fd);
	return ok;
}

void snapshot_release(struct snapshot *snapshot)
{
	image_close(&snapshot->image);
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
