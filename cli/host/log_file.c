// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log_file.h"

static int log_file_begin(struct log_file *log)
{
	struct stat stat;

	log->fd = open(log->name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (log->fd < 0)
		return -errno;
	log->size = fstat(log->fd, &stat) ? 0 : (size_t)stat.st_size;
	return 0;
}

int log_file_open(struct log_file *log, const char *folder, const char *name, const char *name_old)
{
	*log = (struct log_file){ .name = name, .name_old = name_old, .fd = -1, .copy = -1 };
	if (mkdir(folder, 0755) && errno != EEXIST)
		return -errno;
	return log_file_begin(log);
}

static void log_file_rotate(struct log_file *log)
{
	close(log->fd);
	rename(log->name, log->name_old);
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

void log_file_write(struct log_file *log, const char *text, size_t size)
{
	if (log->size && log->size + size > LOG_FILE_MAX)
		log_file_rotate(log);
	write_all(log->fd, text, size);
	log->size += size;
	if (log->copy >= 0)
		write_all(log->copy, text, size);
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
