// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <client/device.h>

static int call(int fd, unsigned long request, void *argument)
{
	int result = ioctl(fd, request, argument);

	return result < 0 ? -errno : result;
}

int limpet_open(void)
{
	int fd = open(LIMPET_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int limpet_info(int fd, struct limpet_ioc_info *info)
{
	int error;

	memset(info, 0, sizeof(*info));
	error = call(fd, LIMPET_IOC_INFO, info);
	if (error < 0)
		return error;
	if (info->version != LIMPET_DEVICE_VERSION)
		return -EPROTO;
	if (info->cpus > LIMPET_CPUS_MAX)
		info->cpus = LIMPET_CPUS_MAX;
	return 0;
}

int limpet_stat(int fd, struct limpet_ioc_stat *stat)
{
	int error;

	memset(stat, 0, sizeof(*stat));
	error = call(fd, LIMPET_IOC_STAT, stat);
	if (error < 0)
		return error;
	if (stat->cpus > LIMPET_CPUS_MAX)
		stat->cpus = LIMPET_CPUS_MAX;
	if (stat->components > LIMPET_STAT_COMPONENTS)
		stat->components = LIMPET_STAT_COMPONENTS;
	if (stat->threads > LIMPET_STAT_THREADS)
		stat->threads = LIMPET_STAT_THREADS;
	return 0;
}

int limpet_image_copy(int fd, unsigned char **image, size_t *size)
{
	struct limpet_ioc_info info;
	struct limpet_ioc_image want;
	int error = limpet_info(fd, &info);

	if (error < 0)
		return error;
	if (!info.image_size || info.image_size > LIMPET_IMAGE_MAX)
		return -ENODATA;
	*size = info.image_size;
	*image = malloc(*size);
	if (!*image)
		return -ENOMEM;
	want.buffer = (uintptr_t)*image;
	want.size = *size;
	error = call(fd, LIMPET_IOC_IMAGE, &want);
	if (error < 0)
		free(*image);
	return error < 0 ? error : 0;
}

int limpet_stop(int fd)
{
	return call(fd, LIMPET_IOC_STOP, NULL);
}

const char *limpet_state_words(unsigned int state)
{
	static const char *const words[] = {
		[LIMPET_STATE_EMPTY] = "empty",	    [LIMPET_STATE_LOADED] = "loaded",
		[LIMPET_STATE_RUNNING] = "running", [LIMPET_STATE_STOPPING] = "stopping",
		[LIMPET_STATE_DEAD] = "dead",
	};

	return state < sizeof(words) / sizeof(*words) ? words[state] : "unknown";
}

const char *limpet_end_words(unsigned int reason)
{
	static const char *const words[] = {
		[LIMPET_END_NONE] = "it has not ended",
		[LIMPET_END_STOP] = "it was stopped",
		[LIMPET_END_HOST] = "a host thread exited or was killed",
		[LIMPET_END_NO_THREAD] =
			"no thread is left to run on one of its CPUs: its scheduler died",
	};

	return reason < sizeof(words) / sizeof(*words) ? words[reason] : "for an unknown reason";
}

const char *limpet_death_words(unsigned int death)
{
	static const char *const words[] = {
		[LIMPET_DEATH_NONE] = "nothing",
		[LIMPET_DEATH_PANIC] = "it panicked",
		[LIMPET_DEATH_RESET] = "it reset the machine",
		[LIMPET_DEATH_SHUTDOWN] = "it could handle no exception",
		[LIMPET_DEATH_RELOAD] = "it asked for that",
		[LIMPET_DEATH_SILENT] = "it gave no sign of life",
	};

	return death < sizeof(words) / sizeof(*words) ? words[death] : "it died";
}
