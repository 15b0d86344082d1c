// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cli/command/exporter/textfile.h>

static int write_all(int fd, const char *text, size_t size)
{
	ssize_t done;

	for (; size; text += done, size -= (size_t)done) {
		done = write(fd, text, size);
		if (done < 0)
			return -errno;
	}
	return 0;
}

/* Creates a new file. Removes any existing one first, so that a link is not followed. */
static int create(const char *path)
{
	int fd;

	if (unlink(path) && errno != ENOENT)
		return -errno;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return fd < 0 ? -errno : fd;
}

static int fill(int fd, const char *text, size_t size)
{
	int error = fchmod(fd, 0644) ? -errno : write_all(fd, text, size);

	if (close(fd) && !error)
		error = -errno;
	return error;
}

int textfile_write(const char *path, const char *text, size_t size)
{
	char new[PATH_MAX];
	int fd, error;

	if (snprintf(new, sizeof(new), "%s.new", path) >= (int)sizeof(new))
		return -ENAMETOOLONG;
	fd = create(new);
	if (fd < 0)
		return fd;
	error = fill(fd, text, size);
	if (!error && rename(new, path))
		error = -errno;
	if (error)
		unlink(new);
	return error;
}
