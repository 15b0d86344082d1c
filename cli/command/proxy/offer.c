// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include <cli/command/proxy/offer.h>
#include <cli/common/report.h>
#include <limpet/error.h>
#include <limpet/files.h>

/* <linux/openat2.h>, which the C library's folder does not have. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define RESOLVE_NO_MAGICLINKS 2
#define RESOLVE_BENEATH 8

struct open_how {
	uint64_t flags, mode, resolve;
};

static const struct {
	unsigned int rate;
	speed_t speed;
} speeds[] = {
	{ 1200, B1200 },     { 2400, B2400 },	  { 4800, B4800 },     { 9600, B9600 },
	{ 19200, B19200 },   { 38400, B38400 },	  { 57600, B57600 },   { 115200, B115200 },
	{ 230400, B230400 }, { 460800, B460800 }, { 921600, B921600 },
};

int offer_status(int error)
{
	switch (error) {
	case ENOENT:
		return LIMPET_ENOENT;
	case EACCES:
	case EPERM:
	case EROFS:
	case EXDEV: /* RESOLVE_BENEATH */
	case ELOOP:
	case ETXTBSY:
		return LIMPET_ERIGHTS;
	case EISDIR:
	case ENOTDIR:
	case ENXIO:
	case ENODEV:
		return LIMPET_ETYPE;
	case ENOSPC:
	case EDQUOT:
		return LIMPET_EQUOTA;
	case EFBIG:
	case EINVAL:
	case EOVERFLOW:
		return LIMPET_ERANGE;
	case EMFILE:
	case ENFILE:
		return LIMPET_EFULL;
	default:
		return LIMPET_ESTATE;
	}
}

static bool speed_of(const char *text, size_t length, speed_t *speed)
{
	char rate[12];

	for (size_t i = 0; i < sizeof(speeds) / sizeof(*speeds); i++) {
		snprintf(rate, sizeof(rate), "%u", speeds[i].rate);
		if (strlen(rate) == length && !memcmp(rate, text, length)) {
			*speed = speeds[i].speed;
			return true;
		}
	}
	return false;
}

/* "rw", "r,9600" */
static bool parse_access(struct offer *offer, const char *text, size_t length, speed_t *speed)
{
	const char *comma = memchr(text, ',', length);
	size_t letters = comma ? (size_t)(comma - text) : length;

	if (letters == 1 && *text == 'r')
		offer->rights = LIMPET_FILES_READ;
	else if (letters == 1 && *text == 'w')
		offer->rights = LIMPET_FILES_WRITE;
	else if (letters == 2 && !memcmp(text, "rw", 2))
		offer->rights = LIMPET_FILES_READ | LIMPET_FILES_WRITE;
	else
		return false;
	*speed = B0;
	return !comma || speed_of(comma + 1, length - letters - 1, speed);
}

static bool name_good(const struct offer *offer)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789.-_";

	return offer->length && offer->length <= LIMPET_FILES_OFFER && *offer->name != '.' &&
	       strspn(offer->name, letters) >= offer->length;
}

static bool parse(struct offer *offer, const char *text, speed_t *speed)
{
	const char *equal = strchr(text, '=');
	const char *colon = equal ? strchr(equal, ':') : NULL;

	if (!colon || !colon[1])
		return false;
	offer->name = text;
	offer->length = (size_t)(equal - text);
	offer->path = colon + 1;
	return name_good(offer) &&
	       parse_access(offer, equal + 1, (size_t)(colon - equal - 1), speed);
}

static bool serial_begin(struct offer *offer, speed_t speed)
{
	struct termios line;

	offer->fd = open(offer->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (offer->fd < 0 || tcgetattr(offer->fd, &line))
		return false;
	cfmakeraw(&line);
	line.c_cflag |= CLOCAL | CREAD;
	if (speed != B0 && cfsetspeed(&line, speed))
		return false;
	return !tcsetattr(offer->fd, TCSANOW, &line);
}

/* The type of the existing file decides the kind of offer. A file may also appear later. */
static bool begin(struct offer *offer, speed_t speed, const char **why)
{
	struct stat is;

	*why = NULL;
	if (stat(offer->path, &is)) {
		offer->kind = OFFER_FILE;
		return errno == ENOENT && offer->rights & LIMPET_FILES_WRITE;
	}
	if (S_ISDIR(is.st_mode)) {
		offer->kind = OFFER_FOLDER;
		offer->fd = open(offer->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		return offer->fd >= 0;
	}
	if (S_ISCHR(is.st_mode)) {
		offer->kind = OFFER_SERIAL;
		return serial_begin(offer, speed);
	}
	offer->kind = OFFER_FILE;
	*why = S_ISREG(is.st_mode) ? NULL : "This is neither a file, a folder nor a serial port";
	return !*why;
}

bool offer_make(struct offer *offer, const char *text, char *error, size_t size)
{
	const char *why;
	speed_t speed;

	*offer = (struct offer){ .fd = -1 };
	if (!parse(offer, text, &speed)) {
		offer->path = NULL;
		report_line(
			error, size,
			"'%s': This is not a valid offer. Give NAME=ACCESS:PATH with the access r, w or rw. The "
			"speed of a serial port follows the access, as in rw,115200. A CAN bus is can:INTERFACE, "
			"without other offers.",
			text);
		return false;
	}
	if (begin(offer, speed, &why))
		return true;
	report_line(error, size, "%s: %s. Correct the path, or offer another file.", offer->path,
		    why ? why : strerror(errno));
	offer_end(offer);
	return false;
}

static int open_flags(uint32_t how)
{
	static const struct {
		uint32_t how;
		int flag;
	} more[] = {
		{ LIMPET_FILES_CREATE, O_CREAT },
		{ LIMPET_FILES_TRUNCATE, O_TRUNC },
		{ LIMPET_FILES_APPEND, O_APPEND },
	};
	int flags = O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

	flags |= !(how & LIMPET_FILES_WRITE) ? O_RDONLY
		 : how & LIMPET_FILES_READ   ? O_RDWR
					     : O_WRONLY;
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		flags |= how & more[i].how ? more[i].flag : 0;
	return flags;
}

/* Opens a file with these flags. Returns a descriptor or a status. */
static int open_regular(int folder, const char *path, const struct open_how *want)
{
	int fd = (int)syscall(SYS_openat2, folder, path, want, sizeof(*want));
	struct stat is;

	if (fd < 0)
		return offer_status(errno);
	if (!fstat(fd, &is) && S_ISREG(is.st_mode))
		return fd;
	close(fd);
	return LIMPET_ETYPE;
}

/*
 * Opens a path below a folder, or, with AT_FDCWD, the path of the offer. The type of the file is checked first,
 * because opening a device may have an effect.
 */
static int open_file(int folder, const char *path, uint32_t how)
{
	struct open_how want = { .flags = O_PATH | O_CLOEXEC };
	int there;

	want.resolve = folder == AT_FDCWD ? 0 : RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
	there = open_regular(folder, path, &want);
	if (there >= 0)
		close(there);
	else if (there != LIMPET_ENOENT)
		return there;
	want.flags = (uint64_t)open_flags(how);
	want.mode = how & LIMPET_FILES_CREATE ? 0600 : 0;
	return open_regular(folder, path, &want);
}

static int open_serial(const struct offer *offer)
{
	int fd = fcntl(offer->fd, F_DUPFD_CLOEXEC, 0);

	return fd < 0 ? offer_status(errno) : fd;
}

int offer_open(const struct offer *offer, const char *rest, uint32_t how)
{
	uint32_t wanted = how & (LIMPET_FILES_READ | LIMPET_FILES_WRITE);

	if (!wanted || how & ~LIMPET_FILES_FLAGS ||
	    (how & ~LIMPET_FILES_READ && !(how & LIMPET_FILES_WRITE)))
		return LIMPET_ERANGE;
	if (wanted & ~offer->rights)
		return LIMPET_ERIGHTS;
	if (offer->kind == OFFER_FOLDER)
		return *rest ? open_file(offer->fd, rest, how) : LIMPET_ETYPE;
	if (*rest)
		return LIMPET_ENOENT;
	return offer->kind == OFFER_SERIAL ? open_serial(offer)
					   : open_file(AT_FDCWD, offer->path, how);
}

void offer_end(struct offer *offer)
{
	if (offer->fd >= 0)
		close(offer->fd);
	offer->fd = -1;
}
