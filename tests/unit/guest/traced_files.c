// SPDX-License-Identifier: GPL-2.0
/* Makes calls about files, folders, and their attributes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/memfd.h>
#include <linux/openat2.h>
#include <linux/random.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "traced.h"

#define NAME "/tmp/limpet-traced-file"
#define LONG_TEXT "0123456789012345678901234567890123456789"

static char buffer[4096];

static void trace_data(long fd)
{
	struct iovec out[] = { { "abc", 3 }, { LONG_TEXT, 40 } },
		     in[] = { { buffer, 4 }, { buffer + 8, 50 } };
	off_t offset = 2;

	CALL(write, fd, "hello\0w\1\0022\377\"\\\n\t\v\f\r", 18);
	CALL(write, fd, LONG_TEXT, 32);
	CALL(write, fd, LONG_TEXT, 33);
	CALL(lseek, fd, 0, SEEK_SET);
	CALL(read, fd, 16, 10);
	CALL(read, fd, buffer, 18);
	CALL(read, fd, buffer, sizeof(buffer));
	CALL(read, fd, buffer, sizeof(buffer));
	CALL(read, fd, buffer, 0);
	CALL(read, -1, buffer, 10);
	CALL(pread64, fd, buffer, 5, 1);
	CALL(pwrite64, fd, "x", 1, 1L << 40);
	CALL(writev, fd, out, 2);
	CALL(writev, 1000, out, 2);
	CALL(writev, 1000, out, 0);
	CALL(pwritev, fd, out, 2, 7, 0);
	CALL(preadv, fd, in, 2, 2, 0);
	CALL(readv, fd, in, 2);
	CALL(sendfile, fd, fd, &offset, 0);
	CALL(copy_file_range, fd, NULL, fd, NULL, 0, 0);
	CALL(splice, fd, NULL, 1000, NULL, 5, SPLICE_F_MOVE | SPLICE_F_MORE);
	CALL(ftruncate, fd, 50);
	CALL(fallocate, fd, FALLOC_FL_KEEP_SIZE, 0, 100);
	CALL(fadvise64, fd, 0, 0, POSIX_FADV_WILLNEED);
}

static void trace_open(void)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	long fd = CALL(open, NAME, O_CREAT | O_RDWR | O_TRUNC, 0644);

	trace_data(fd);
	CALL(openat, AT_FDCWD, "/etc/passwd", O_RDONLY | O_CLOEXEC);
	CALL(openat, AT_FDCWD, "/etc/passwd", O_PATH | O_NOFOLLOW);
	CALL(openat, fd, "none", O_WRONLY | O_APPEND | O_NONBLOCK | O_SYNC | O_DIRECTORY);
	CALL(openat, AT_FDCWD, "/nonexistent", O_TMPFILE | O_RDWR, 0600);
	CALL(openat, AT_FDCWD,
	     "/nonexistent/" LONG_TEXT LONG_TEXT "\n\3"
	     "1",
	     O_RDONLY);
	CALL(open, 5, 0x40000000);
	CALL(open, "", -1, -1);
	CALL(openat2, AT_FDCWD, NAME, &how, sizeof(how));
	CALL(creat, "/nonexistent/x", 07777);
	CALL(dup, fd);
	CALL(dup2, fd, 40);
	CALL(dup3, fd, 41, O_CLOEXEC);
	CALL(close, 41);
	CALL(close_range, 1000, 2000, 0);
	CALL(memfd_create, "some-name", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	CALL(eventfd2, 3, O_CLOEXEC | O_NONBLOCK);
	CALL(inotify_init1, O_NONBLOCK);
	CALL(flock, fd, LOCK_EX | LOCK_NB);
	CALL(fsync, fd);
	CALL(getrandom, buffer, 8, 0xff00);
}

static void trace_fcntl(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10 };
	long fd = CALL(open, NAME, O_RDWR);

	CALL(fcntl, fd, F_GETFL);
	CALL(fcntl, fd, F_GETFD);
	CALL(fcntl, fd, F_SETFD, FD_CLOEXEC);
	CALL(fcntl, fd, F_GETFD);
	CALL(fcntl, fd, F_SETFL, O_RDONLY | O_NONBLOCK);
	CALL(fcntl, fd, F_DUPFD_CLOEXEC, 10);
	CALL(fcntl, fd, F_SETLK, &lock);
	CALL(fcntl, fd, F_GETLK, &lock);
	CALL(fcntl, fd, F_GETOWN);
	CALL(fcntl, -1, F_GETFL);
	CALL(fcntl, fd, 1234, 0x1234);
}

static void trace_status(void)
{
	struct statx status;
	struct statfs system;
	struct stat stat;

	CALL(stat, "/etc/passwd", &stat);
	CALL(lstat, "/proc/self/exe", &stat);
	CALL(stat, "/nonexistent", &stat);
	CALL(stat, "/tmp", &stat);
	CALL(fstat, 0, &stat);
	CALL(newfstatat, AT_FDCWD, "/dev/null", &stat, AT_SYMLINK_NOFOLLOW);
	CALL(newfstatat, 0, "", &stat, AT_EMPTY_PATH);
	CALL(statx, AT_FDCWD, "/nonexistent", AT_STATX_SYNC_AS_STAT | AT_SYMLINK_NOFOLLOW,
	     STATX_ALL, &status);
	CALL(statx, AT_FDCWD, "/nonexistent", AT_STATX_DONT_SYNC, STATX_SIZE | STATX_MODE, &status);
	CALL(statfs, "/proc", &system);
	CALL(statfs, "/nonexistent", &system);
	CALL(access, "/etc", R_OK | W_OK);
	CALL(access, "/etc", F_OK);
	CALL(faccessat, AT_FDCWD, "/etc", X_OK);
	CALL(faccessat2, AT_FDCWD, "/nonexistent", R_OK, AT_EACCESS);
}

static void trace_names(void)
{
	CALL(mkdir, "/tmp", 0777);
	CALL(mkdirat, AT_FDCWD, "/tmp", 0);
	CALL(mknod, "/tmp", S_IFIFO | 0600);
	CALL(mknodat, AT_FDCWD, "/tmp", S_IFCHR | 0600, 0x103);
	CALL(rmdir, "/nonexistent");
	CALL(chdir, "/nonexistent");
	CALL(chdir, "/");
	CALL(getcwd, buffer, sizeof(buffer));
	CALL(getcwd, buffer, 1);
	CALL(link, "/nonexistent", "/tmp/x");
	CALL(symlink, "a", "/nonexistent/b");
	CALL(rename, "/nonexistent", "/tmp/x");
	CALL(renameat2, AT_FDCWD, "/nonexistent", AT_FDCWD, "b", 1);
	CALL(linkat, AT_FDCWD, "/nonexistent", AT_FDCWD, "b", AT_SYMLINK_FOLLOW);
	CALL(unlink, "/nonexistent");
	CALL(unlinkat, AT_FDCWD, "/nonexistent", AT_REMOVEDIR);
	CALL(readlink, "/proc/self/fd/0", buffer, 3);
	CALL(readlinkat, AT_FDCWD, "/nonexistent", buffer, 100);
	CALL(chmod, NAME, 04755);
	CALL(fchmod, -1, 07);
	CALL(fchmodat, AT_FDCWD, "/nonexistent", 0);
	CALL(chown, "/nonexistent", -1, 0);
	CALL(fchownat, AT_FDCWD, "/nonexistent", 1, 2, AT_SYMLINK_NOFOLLOW);
	CALL(truncate, "/nonexistent", 5);
	CALL(umask, 022);
	CALL(umask, 07);
	CALL(utimensat, AT_FDCWD, "/nonexistent", NULL, 0);
	CALL(mount, "/nonexistent", "/nonexistent", "none", MS_RDONLY | MS_NOSUID, NULL);
	CALL(umount2, "/nonexistent", MNT_DETACH);
	CALL(chroot, "/nonexistent");
	CALL(getxattr, "/nonexistent", "user.x", buffer, 10);
	CALL(setxattr, "/nonexistent", "user.x", "value", 5, 1);
}

static void trace_folder(void)
{
	long fd = CALL(openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY);

	CALL(getdents64, fd, buffer, sizeof(buffer));
	CALL(getdents64, fd, buffer, sizeof(buffer));
	CALL(getdents64, fd, buffer, 1);
	CALL(getdents64, -1, buffer, 100);
}

void trace_files(void)
{
	trace_open();
	trace_fcntl();
	trace_status();
	trace_names();
	trace_folder();
	CALL(unlink, NAME);
}
