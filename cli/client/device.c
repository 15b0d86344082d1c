// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
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

int limpet_select(int fd, uint32_t id)
{
	return call(fd, LIMPET_IOC_SELECT, (void *)(uintptr_t)id);
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

void limpet_stat_free(struct limpet_stat *stat)
{
	free(stat->cpu);
	free(stat->component);
	free(stat->thread);
	free(stat->jobs);
	*stat = (struct limpet_stat){ 0 };
}

/* Appends `count` records of `size` bytes to `have` of them at *records. */
static bool append(void *records, uint32_t *have, const void *from, uint32_t count, size_t size)
{
	unsigned char *all = realloc(*(void **)records, ((size_t)*have + count + 1) * size);

	if (!all)
		return false;
	memcpy(all + *have * size, from, count * size);
	*(void **)records = all;
	*have += count;
	return true;
}

/* Appends a piece. A number of records that does not fit into a piece counts as 0. */
static bool piece_append(struct limpet_stat *stat, const struct limpet_ioc_stat *piece)
{
	const uint32_t components = piece->components <= LIMPET_STAT_PIECE ? piece->components : 0;
	const uint32_t threads = piece->threads <= LIMPET_STAT_PIECE ? piece->threads : 0;

	return append(&stat->cpu, &stat->cpus, &piece->cpu, !piece->first, sizeof(piece->cpu)) &&
	       append(&stat->component, &stat->components, piece->component, components,
		      sizeof(*piece->component)) &&
	       append(&stat->thread, &stat->threads, piece->thread, threads,
		      sizeof(*piece->thread));
}

/* Reads all pieces of a CPU. Returns how many CPUs the system has. */
static int cpu_read(int fd, struct limpet_stat *stat, uint32_t cpu)
{
	struct limpet_ioc_stat piece = { .number = cpu };

	for (; piece.first < LIMPET_STAT_NUMBERS; piece.first += LIMPET_STAT_PIECE) {
		int error = call(fd, LIMPET_IOC_STAT, &piece);

		if (error < 0)
			return error;
		if (!piece_append(stat, &piece))
			return -ENOMEM;
	}
	return (int)(piece.cpus < LIMPET_CPUS_MAX ? piece.cpus : LIMPET_CPUS_MAX);
}

int limpet_jobs(int fd, uint32_t cpu, uint32_t thread, bool clear, struct limpet_jobs *jobs)
{
	struct limpet_ioc_stat piece = { .number = cpu, .first = thread, .clear = clear };
	int error = call(fd, LIMPET_IOC_STAT, &piece);

	*jobs = piece.jobs;
	return error;
}

/* Reads the accounts of the periodic threads. */
static int jobs_read(int fd, struct limpet_stat *stat)
{
	int error = 0;

	stat->jobs = calloc((size_t)stat->threads + 1, sizeof(*stat->jobs));
	if (!stat->jobs)
		return -ENOMEM;
	for (uint32_t i = 0; !error && i < stat->threads; i++)
		if (stat->thread[i].period)
			error = limpet_jobs(fd, stat->thread[i].cpu, stat->thread[i].id, false,
					    &stat->jobs[i]);
	return error;
}

int limpet_stat(int fd, struct limpet_stat *stat)
{
	int cpus = 1;

	*stat = (struct limpet_stat){ 0 };
	for (int cpu = 0; cpu < cpus; cpu++)
		cpus = cpu_read(fd, stat, (uint32_t)cpu);
	if (cpus >= 0)
		cpus = jobs_read(fd, stat);
	if (cpus < 0)
		limpet_stat_free(stat);
	return cpus < 0 ? cpus : 0;
}

static int image_read(int fd, void *buffer, size_t size)
{
	struct limpet_ioc_image want = { .buffer = (uintptr_t)buffer, .size = size };
	int error = call(fd, LIMPET_IOC_IMAGE, &want);

	return error < 0 ? error : 0;
}

int limpet_image_records(int fd, unsigned char **image, size_t *size)
{
	struct limpet_image header = { 0 };
	int error = image_read(fd, &header, sizeof(header));

	if (error < 0)
		return error;
	*size = header.strings_at + header.strings;
	if (header.version != LIMPET_IMAGE_VERSION || *size > LIMPET_IMAGE_MAX)
		return -EPROTO;
	*image = malloc(*size);
	if (!*image)
		return -ENOMEM;
	error = image_read(fd, *image, *size);
	if (error < 0)
		free(*image);
	return error;
}

int limpet_stop(int fd)
{
	return call(fd, LIMPET_IOC_STOP, NULL);
}

int limpet_trace(int fd, unsigned int kinds)
{
	return call(fd, LIMPET_IOC_TRACE, (void *)(uintptr_t)kinds);
}

int limpet_trace_read(int fd, struct limpet_ioc_trace *read)
{
	uint32_t capacity = read->count;
	int error = call(fd, LIMPET_IOC_TRACE_READ, read);

	if (error < 0 || read->count > capacity)
		read->count = 0;
	return error;
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
			"one of its CPUs had no thread to run, because its scheduler died",
	};

	return reason < sizeof(words) / sizeof(*words) ? words[reason] : "the reason is unknown";
}

const char *limpet_death_words(unsigned int death)
{
	static const char *const words[] = {
		[LIMPET_DEATH_NONE] = "nothing",
		[LIMPET_DEATH_PANIC] = "it panicked",
		[LIMPET_DEATH_RESET] = "it reset the machine",
		[LIMPET_DEATH_SHUTDOWN] = "it could not handle exceptions",
		[LIMPET_DEATH_RELOAD] = "it requested the restart",
		[LIMPET_DEATH_SILENT] = "it sent no heartbeat",
	};

	return death < sizeof(words) / sizeof(*words) ? words[death] : "it died";
}
