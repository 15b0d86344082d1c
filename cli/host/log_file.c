// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "log_file.h"

/* Opens a file to append to it, and sets *size to its size. */
static int file_open(const char *name, size_t *size)
{
	int fd = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
	struct stat stat;

	*size = fd < 0 || fstat(fd, &stat) ? 0 : (size_t)stat.st_size;
	return fd;
}

static const char *times_name(const char *name, char to[PATH_MAX])
{
	snprintf(to, PATH_MAX, "%s" LOG_TIMES, name);
	return to;
}

/* Opens the times first, because a reader opens them as soon as the log exists. */
static int log_file_begin(struct log_file *log)
{
	char name[PATH_MAX];

	log->times = file_open(times_name(log->name, name), &log->times_size);
	log->fd = file_open(log->name, &log->size);
	return log->fd < 0 ? -errno : 0;
}

int log_file_open(struct log_file *log, const char *folder, const char *name, const char *name_old)
{
	*log = (struct log_file){
		.name = name, .name_old = name_old, .system = "", .fd = -1, .times = -1
	};
	if (mkdir(folder, 0755) && errno != EEXIST)
		return -errno;
	return log_file_begin(log);
}

static void log_file_rotate(struct log_file *log)
{
	char name[PATH_MAX], old[PATH_MAX];

	close(log->fd);
	if (log->times >= 0)
		close(log->times);
	rename(log->name, log->name_old);
	rename(times_name(log->name, name), times_name(log->name_old, old));
	log_file_begin(log);
}

static void write_all(int fd, const char *text, size_t size)
{
	ssize_t done;

	while (size) {
		done = write(fd, text, size);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		text += done;
		size -= (size_t)done;
	}
}

static uint64_t real_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Must be called before the text is written, so that a reader of the text finds its time. */
static void time_write(struct log_file *log, uint64_t ns)
{
	struct log_time time = { .offset = log->size, .ns = ns };

	snprintf(time.system, sizeof(time.system), "%s", log->system);
	write_all(log->times, (const char *)&time, sizeof(time));
	log->times_size += sizeof(time);
}

bool log_time_read(FILE *times, struct log_time *time)
{
	long at = ftell(times);

	if (fread(time, sizeof(*time), 1, times) == 1 && time->ns) {
		time->system[sizeof(time->system) - 1] = 0;
		return true;
	}
	fseek(times, at, SEEK_SET);
	*time = (struct log_time){ 0 };
	return false;
}

static bool is_full(const struct log_file *log, size_t size)
{
	return (log->size && log->size + size > LOG_FILE_MAX) || log->times_size > LOG_FILE_MAX;
}

void log_file_write(struct log_file *log, const char *text, size_t size)
{
	const uint64_t now = real_time();

	if (!size)
		return;
	if (is_full(log, size))
		log_file_rotate(log);
	if (log->times >= 0)
		time_write(log, now);
	write_all(log->fd, text, size);
	log->size += size;
	log_copy_write(&log->copy, now, log->system, text, size);
}

void log_file_note(struct log_file *log, const char *format, ...)
{
	char line[512] = "limpet: ";
	size_t begin = strlen(line);
	va_list values;

	va_start(values, format);
	vsnprintf(line + begin, sizeof(line) - begin - 1, format, values);
	va_end(values);
	strcat(line, "\n");
	log_file_write(log, line, strlen(line));
}
