// SPDX-License-Identifier: GPL-2.0
/*
 * Tests interrupted calls of files: read and write of pipes and terminals, inotify, open of FIFOs. With SA_RESTART
 * Linux restarts all of them. Argument: the probe's mode, or `plain` for a process that is not a guest.
 */
#include "interrupted.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <termios.h>

#define FIFO "/tmp/restarts.fifo"
#define FOLDER "/tmp/restarts.folder"

static char byte[2];
static struct iovec vector = { byte, 1 };

/* --- pipes */

static long call_read(void)
{
	child_ready();
	return raw(SYS_read, gate[0], (long)byte, 1);
}

static long call_readv(void)
{
	child_ready();
	return raw(SYS_readv, gate[0], (long)&vector, 1);
}

static void gate_fill(void)
{
	file_fill(gate[1]);
}

static void gate_drain(void)
{
	file_drain(gate[0]);
}

static long call_write(void)
{
	child_ready();
	return raw(SYS_write, gate[1], (long)byte, 1);
}

static long call_writev(void)
{
	child_ready();
	return raw(SYS_writev, gate[1], (long)&vector, 1);
}

/* --- a terminal */

static int terminal, master;

static void terminal_open(void)
{
	struct termios mode;

	master = posix_openpt(O_RDWR | O_NOCTTY);
	EXPECT(master >= 0 && !grantpt(master) && !unlockpt(master));
	terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
	EXPECT(terminal >= 0 && !tcgetattr(terminal, &mode));
	cfmakeraw(&mode);
	EQUAL(tcsetattr(terminal, TCSANOW, &mode), 0);
}

static void terminal_close(void)
{
	close(terminal);
	close(master);
}

static long call_terminal_read(void)
{
	child_ready();
	return raw(SYS_read, terminal, (long)byte, 1);
}

static void terminal_type(void)
{
	EQUAL(write(master, "x", 1), 1);
}

static void terminal_fill(void)
{
	terminal_open();
	file_fill(terminal);
	pause_us(20000); /* Linux moves bytes to the other end later, which makes space again */
	file_fill(terminal);
}

static long call_terminal_write(void)
{
	child_ready();
	return raw(SYS_write, terminal, (long)byte, 1);
}

static void terminal_drain(void)
{
	file_drain(master);
}

/* --- inotify */

static int notices;

static void notices_open(void)
{
	mkdir(FOLDER, 0700);
	notices = inotify_init();
	EXPECT(inotify_add_watch(notices, FOLDER, IN_CREATE) >= 0);
}

static long call_notices(void)
{
	char bytes[4096];

	child_ready();
	const long got = raw(SYS_read, notices, (long)bytes, sizeof(bytes));

	return got > 0 ? 1 : got;
}

static void notices_make(void)
{
	close(open(FOLDER "/file", O_CREAT | O_WRONLY, 0600));
}

static void notices_close(void)
{
	close(notices);
	unlink(FOLDER "/file");
	rmdir(FOLDER);
}

/* --- a FIFO that has no other end */

static int other_end = -1;

static void fifo_make(void)
{
	unlink(FIFO);
	EQUAL(mkfifo(FIFO, 0600), 0);
	other_end = -1;
}

static long fifo_open(int flags)
{
	child_ready();
	const long fd = raw(SYS_open, (long)FIFO, flags, 0);

	return fd >= 0 ? 1 : fd;
}

static long call_fifo_read(void)
{
	return fifo_open(O_RDONLY);
}

static long call_fifo_write(void)
{
	return fifo_open(O_WRONLY);
}

static void fifo_write(void)
{
	if (other_end < 0)
		other_end = open(FIFO, O_WRONLY | O_NONBLOCK);
}

static void fifo_read(void)
{
	if (other_end < 0)
		other_end = open(FIFO, O_RDONLY | O_NONBLOCK);
}

static void fifo_remove(void)
{
	close(other_end);
	unlink(FIFO);
}

static const struct interrupted tests[] = {
	{ "read of a pipe", NULL, call_read, gate_open, 1, true, false, NULL },
	{ "readv of a pipe", NULL, call_readv, gate_open, 1, true, false, NULL },
	{ "write to a pipe", gate_fill, call_write, gate_drain, 1, true, false, NULL },
	{ "writev to a pipe", gate_fill, call_writev, gate_drain, 1, true, false, NULL },
	{ "read of a terminal", terminal_open, call_terminal_read, terminal_type, 1, true, false,
	  terminal_close },
	{ "write to a terminal", terminal_fill, call_terminal_write, terminal_drain, 1, true, false,
	  terminal_close },
	{ "read of inotify", notices_open, call_notices, notices_make, 1, true, false,
	  notices_close },
	{ "open of a FIFO to read", fifo_make, call_fifo_read, fifo_write, 1, true, false,
	  fifo_remove },
	{ "open of a FIFO to write", fifo_make, call_fifo_write, fifo_read, 1, true, false,
	  fifo_remove },
};

int main(int argc, char **argv)
{
	interrupted_init(argc, argv);
	interrupted_all(tests, sizeof(tests) / sizeof(*tests));
	return interrupted_finish();
}
