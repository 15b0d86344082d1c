// SPDX-License-Identifier: BSD-2-Clause
/*
 * Implements FIFOs and shared buffers of a module, and the file operations of POSIX on /dev/rtfN. FIFOs that the system file gives
 * the module connect it with Linux, by lib/fifo. The others connect threads of modules, by the component exchange. The Linux
 * context calls the handlers of rtf_create_handler(), because a component does not run in the process that reads or
 * writes.
 */
#include "between.h"
#include "core.h"

#include <limits.h>

#include <fifo/fifo.h>

#define FILES 17	  /* descriptors are 1 to 16, because some programs take 0 for a failure */
#define SIZE_OF_OPEN 8192 /* of a FIFO that open() creates */

typedef int handler_of_fifo(unsigned int fifo);

static struct {
	handler_of_fifo *of_linux;  /* for reads and writes of Linux */
	handler_of_fifo *of_module; /* for rtf_put() and rtf_get() */
} handlers[RTF_MAX_FIFO];

static struct {
	bool open;
	unsigned int fifo;
} files[FILES];

/*
 * Returns RTLinux's error for a status of lib/fifo. In RTLinux all FIFOs exist, so a missing one counts as not created.
 */
static int error_of(unsigned int fifo, long status)
{
	if (fifo >= RTF_MAX_FIFO)
		return -ENODEV;
	return status == FIFO_ENODEV ? -EINVAL : (int)status;
}

/* A FIFO that is created has no handlers. */
static void handlers_reset(unsigned int fifo)
{
	handlers[fifo].of_linux = NULL;
	if (!fifo_is_given(fifo) && handlers[fifo].of_module)
		between_watch(fifo, NULL);
	handlers[fifo].of_module = NULL;
	fifo_watch(fifo, false);
}

int rtf_create(unsigned int fifo, int size)
{
	long status;

	if (fifo >= RTF_MAX_FIFO)
		return -ENODEV;
	if (size <= 0)
		return -ENOMEM;
	status = fifo_is_given(fifo) ? fifo_create(fifo, (unsigned long)size)
				     : between_create(fifo, (unsigned long)size);
	if (status == FIFO_ENODEV)
		return (int)rtlinux_refuse(
			"rtf_create",
			"the system file gives the module no FIFO of this number, and no component exchange",
			-ENODEV);
	if (status == FIFO_ENOMEM)
		return (int)rtlinux_refuse(
			"rtf_create", "the FIFO is larger than the system file allows", -ENOMEM);
	if (status)
		return (int)status;
	handlers_reset(fifo);
	return 0;
}

int rtf_destroy(unsigned int fifo)
{
	return error_of(fifo, fifo_is_given(fifo) ? fifo_destroy(fifo) : between_destroy(fifo));
}

int rtf_resize(unsigned int fifo, int size)
{
	if (size <= 0)
		return -EINVAL;
	return error_of(fifo, fifo_is_given(fifo) ? fifo_resize(fifo, (unsigned long)size)
						  : between_resize(fifo, (unsigned long)size));
}

/* Runs the module's handler after rtf_put() or rtf_get(). Returns the result of that call. */
static int moved(unsigned int fifo, long count)
{
	const int result = error_of(fifo, count);

	if (fifo < RTF_MAX_FIFO && result != -EINVAL && handlers[fifo].of_module)
		handlers[fifo].of_module(fifo);
	return result;
}

int rtf_put(unsigned int fifo, const void *data, int count)
{
	if (count < 0)
		return -EINVAL;
	return moved(fifo, fifo_is_given(fifo) ? fifo_put(fifo, data, (unsigned long)count)
					       : between_put(fifo, data, (unsigned long)count));
}

int rtf_get(unsigned int fifo, void *data, int count)
{
	if (count < 0)
		return -EINVAL;
	return moved(fifo, fifo_is_given(fifo) ? fifo_get(fifo, data, (unsigned long)count)
					       : between_get(fifo, data, (unsigned long)count));
}

int rtf_flush(unsigned int fifo)
{
	return error_of(fifo, fifo_is_given(fifo) ? fifo_flush(fifo) : between_flush(fifo));
}

int rtf_isempty(unsigned int fifo)
{
	if (!fifo_is_given(fifo))
		return between_used_bytes(fifo) <= 0;
	return fifo_used_bytes(fifo) <= 0 && fifo_unread_bytes(fifo) <= 0;
}

int rtf_isused(unsigned int fifo)
{
	return fifo_opened(fifo) > 0;
}

static bool is_created(unsigned int fifo)
{
	if (fifo >= RTF_MAX_FIFO)
		return false;
	return (fifo_is_given(fifo) ? fifo_opened(fifo) : between_used_bytes(fifo)) >= 0;
}

int rtf_create_handler(unsigned int fifo, handler_of_fifo *handler)
{
	if (!handler || !is_created(fifo))
		return -EINVAL;
	handlers[fifo].of_linux = handler;
	fifo_watch(fifo, true);
	return 0;
}

int rtf_create_rt_handler(unsigned int fifo, handler_of_fifo *handler)
{
	if (!handler || !is_created(fifo))
		return -EINVAL;
	handlers[fifo].of_module = handler;
	if (!fifo_is_given(fifo) && between_watch(fifo, handler))
		return (int)rtlinux_refuse("rtf_create_rt_handler",
					   "no thread is left that would call the handler",
					   -ENOMEM);
	return 0;
}

/* FIFOs between modules have no process, so that a pair of them does not change what the modules put and get. */
int rtf_make_user_pair(unsigned int get, unsigned int put)
{
	if (get < RTF_MAX_FIFO && put < RTF_MAX_FIFO && !fifo_is_given(get) && !fifo_is_given(put))
		return get != put && is_created(get) && is_created(put) ? 0 : -EINVAL;
	return error_of(get < put ? put : get, fifo_make_pair(get, put));
}

int rtf_link_user_ioctl(unsigned int fifo, int (*handler)(unsigned int fifo, unsigned int command,
							  unsigned long argument))
{
	if (fifo >= RTF_MAX_FIFO)
		return -ENODEV;
	return handler ? (int)rtlinux_refuse("rtf_link_user_ioctl",
					     "ioctl() of a process does not reach a component",
					     -ENOSYS)
		       : 0;
}

/* Several writes of Linux can be one event, so the handler runs again while it reads some bytes and leaves others. */
static void handler_run(unsigned int fifo)
{
	long before, after = fifo_used_bytes(fifo);

	do {
		before = after;
		if (!handlers[fifo].of_linux)
			return;
		handlers[fifo].of_linux(fifo);
		after = fifo_used_bytes(fifo);
	} while (after > 0 && after < before);
}

void rtlinux_fifos_serve(uint64_t until)
{
	for (uint64_t news = fifo_wait(0, until); news; news &= news - 1)
		handler_run((unsigned int)__builtin_ctzl(news));
}

/* --- files */

static int failed(int error)
{
	errno = error;
	return -1;
}

/* Returns the number in "/dev/rtfN", or -1. */
static int number_of(const char *path)
{
	static const char prefix[] = "/dev/rtf";
	const char *digits = path + sizeof(prefix) - 1;
	unsigned long number;
	char *end;

	if (strncmp(path, prefix, sizeof(prefix) - 1) != 0 || *digits < '0' || *digits > '9')
		return -1;
	number = simple_strtoul(digits, &end, 10);
	return *end || number >= RTF_MAX_FIFO ? -1 : (int)number;
}

/* Creates a FIFO for open() if it is not created. Returns 0 or an error of open(). */
static int fifo_prepare(unsigned int fifo, int flags)
{
	if (is_created(fifo))
		return 0;
	if (!(flags & O_CREAT))
		return EUNATCH;
	return rtf_create(fifo, SIZE_OF_OPEN) ? ENOMEM : 0;
}

int open(const char *path, int flags, ...)
{
	const int fifo = number_of(path);
	int file = 1, error;

	if (fifo < 0)
		return failed((int)rtlinux_refuse(
			"open", "a module has only /dev/rtf0 to /dev/rtf63", ENOENT));
	if (!(flags & O_NONBLOCK))
		return failed(EACCES);
	while (file < FILES && __atomic_exchange_n(&files[file].open, true, __ATOMIC_SEQ_CST))
		file++;
	if (file == FILES)
		return failed(ENOMEM);
	error = fifo_prepare((unsigned int)fifo, flags);
	if (error) {
		files[file].open = false;
		return failed(error);
	}
	files[file].fifo = (unsigned int)fifo;
	return file;
}

static bool is_open(int file)
{
	return file > 0 && file < FILES && files[file].open;
}

static ssize_t file_result(int count)
{
	return count < 0 ? failed(-count) : count;
}

/* A FIFO has fewer bytes than INT_MAX, so a larger count has the result of INT_MAX. */
static int count_of(size_t count)
{
	return count < INT_MAX ? (int)count : INT_MAX;
}

ssize_t read(int file, void *to, size_t count)
{
	return is_open(file) ? file_result(rtf_get(files[file].fifo, to, count_of(count)))
			     : failed(EBADF);
}

ssize_t write(int file, const void *from, size_t count)
{
	return is_open(file) ? file_result(rtf_put(files[file].fifo, from, count_of(count)))
			     : failed(EBADF);
}

int close(int file)
{
	if (!is_open(file))
		return failed(EBADF);
	files[file].open = false;
	return 0;
}

int ioctl(int file, int command, ...)
{
	va_list more;
	int size;

	if (!is_open(file))
		return failed(EBADF);
	va_start(more, command);
	size = va_arg(more, int);
	va_end(more);
	if (command != RTF_SETSIZE || rtf_resize(files[file].fifo, size))
		return failed(EINVAL);
	return 0;
}

off_t lseek(int file, off_t offset, int from)
{
	(void)offset;
	(void)from;
	return failed(is_open(file) ? ESPIPE : EBADF);
}

long sysconf(int name)
{
	(void)name;
	return failed(EINVAL);
}

char *mmap(void *start, size_t length, int protection, int flags, int file, off_t offset)
{
	(void)start;
	(void)length;
	(void)protection;
	(void)flags;
	(void)offset;
	errno = is_open(file) ? (int)rtlinux_refuse(
					"mmap", "a component does not map physical memory", EINVAL)
			      : EBADF;
	return MAP_FAILED;
}

/* --- shared buffers */

void *mbuff_alloc(const char *name, int size)
{
	void *memory = size > 0 ? mbuff_open(name ? name : "default", (unsigned long)size) : NULL;

	if (!memory)
		rtlinux_refuse("mbuff_alloc",
			       "the system file gives the module no buffer of this name and size",
			       0);
	return memory;
}

void mbuff_free(const char *name, void *memory)
{
	(void)name;
	(void)memory;
}

int shm_allocate(const char *name, unsigned int size, void **memory)
{
	*memory = mbuff_alloc(name, (int)size);
	return *memory ? (int)size : -ENOMEM;
}

int shm_deallocate(void *memory)
{
	return memory ? 0 : -EINVAL;
}
