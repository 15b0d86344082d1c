// SPDX-License-Identifier: BSD-2-Clause
/*
 * Implements FIFOs and shared buffers of a module, and the device of open() for /dev/rtfN. FIFOs that the system
 * file gives the module connect it with Linux, by lib/fifo. The others connect threads of modules, by the component
 * exchange. The Linux context calls the handlers of rtf_create_handler(), because a component does not run in the
 * process that reads or writes.
 */
#include "between.h"
#include "core.h"

#include <limits.h>

#include <fifo/fifo.h>

#define SIZE_OF_OPEN 8192 /* of a FIFO that open() creates */

typedef int handler_of_fifo(unsigned int fifo);

static struct {
	handler_of_fifo *of_linux;  /* for reads and writes of Linux */
	handler_of_fifo *of_module; /* for rtf_put() and rtf_get() */
} handlers[RTF_MAX_FIFO];

rtlinux_ioctl_handler *rtlinux_ioctl_handlers[RTF_MAX_FIFO];
void (*rtlinux_requests_serve)(void);

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
	rtlinux_ioctl_handlers[fifo] = NULL;
	if (!fifo_is_given(fifo) && handlers[fifo].of_module)
		between_watch(fifo, NULL);
	handlers[fifo].of_module = NULL;
	fifo_watch(fifo, false);
}

int rtf_create(unsigned int fifo, int size)
{
	INSIDE;
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
	INSIDE;

	return error_of(fifo, fifo_is_given(fifo) ? fifo_destroy(fifo) : between_destroy(fifo));
}

int rtf_resize(unsigned int fifo, int size)
{
	INSIDE;

	if (size <= 0)
		return -EINVAL;
	return error_of(fifo, fifo_is_given(fifo) ? fifo_resize(fifo, (unsigned long)size)
						  : between_resize(fifo, (unsigned long)size));
}

/* Calls a handler of the module from inside the library. */
static void handler_call(handler_of_fifo *handler, unsigned int fifo)
{
	struct rtl_thread_struct *self = rtlinux_self();
	const unsigned char depth = rtlinux_module_begin(self);

	handler(fifo);
	rtlinux_module_end(self, depth);
}

/* Runs the module's handler after rtf_put() or rtf_get(). Returns the result of that call. */
static int moved(unsigned int fifo, long count)
{
	const int result = error_of(fifo, count);
	handler_of_fifo *handler = fifo < RTF_MAX_FIFO ? handlers[fifo].of_module : NULL;

	if (handler && result != -EINVAL)
		handler_call(handler, fifo);
	return result;
}

int rtf_put(unsigned int fifo, const void *data, int count)
{
	INSIDE;

	if (count < 0)
		return -EINVAL;
	return moved(fifo, fifo_is_given(fifo) ? fifo_put(fifo, data, (unsigned long)count)
					       : between_put(fifo, data, (unsigned long)count));
}

int rtf_get(unsigned int fifo, void *data, int count)
{
	INSIDE;

	if (count < 0)
		return -EINVAL;
	return moved(fifo, fifo_is_given(fifo) ? fifo_get(fifo, data, (unsigned long)count)
					       : between_get(fifo, data, (unsigned long)count));
}

int rtf_flush(unsigned int fifo)
{
	INSIDE;

	return error_of(fifo, fifo_is_given(fifo) ? fifo_flush(fifo) : between_flush(fifo));
}

int rtf_isempty(unsigned int fifo)
{
	INSIDE;

	if (!fifo_is_given(fifo))
		return between_used_bytes(fifo) <= 0;
	return fifo_used_bytes(fifo) <= 0 && fifo_unread_bytes(fifo) <= 0;
}

int rtf_isused(unsigned int fifo)
{
	INSIDE;

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
	INSIDE;

	if (!handler || !is_created(fifo))
		return -EINVAL;
	handlers[fifo].of_linux = handler;
	fifo_watch(fifo, true);
	return 0;
}

int rtf_create_rt_handler(unsigned int fifo, handler_of_fifo *handler)
{
	INSIDE;

	if (!handler || !is_created(fifo))
		return -EINVAL;
	handlers[fifo].of_module = handler;
	if (!fifo_is_given(fifo) && between_watch(fifo, handler))
		return (int)rtlinux_refuse("rtf_create_rt_handler",
					   "the module has no spare thread to call the handler",
					   -ENOMEM);
	return 0;
}

/* FIFOs between modules have no process, so that a pair of them does not change what the modules put and get. */
int rtf_make_user_pair(unsigned int get, unsigned int put)
{
	INSIDE;

	if (get < RTF_MAX_FIFO && put < RTF_MAX_FIFO && !fifo_is_given(get) && !fifo_is_given(put))
		return get != put && is_created(get) && is_created(put) ? 0 : -EINVAL;
	return error_of(get < put ? put : get, fifo_make_pair(get, put));
}

/* Several writes of Linux can be one event, so the handler runs again while it reads some bytes and leaves others. */
static void handler_run(unsigned int fifo)
{
	long before, after = fifo_used_bytes(fifo);

	do {
		before = after;
		if (!handlers[fifo].of_linux)
			return;
		handler_call(handlers[fifo].of_linux, fifo);
		after = fifo_used_bytes(fifo);
	} while (after > 0 && after < before);
}

void rtlinux_fifos_serve(uint64_t until)
{
	if (rtlinux_requests_serve)
		rtlinux_requests_serve();
	for (uint64_t changed = fifo_wait(0, until); changed; changed &= changed - 1)
		handler_run((unsigned int)__builtin_ctzl(changed));
}

/* --- the device "rtf" of open() */

/* Creates a FIFO for open() if it is not created. Returns 0 or an error of open(). */
static int fifo_prepare(unsigned int fifo, int flags)
{
	if (is_created(fifo))
		return 0;
	if (!(flags & O_CREAT))
		return -EUNATCH;
	return rtf_create(fifo, SIZE_OF_OPEN) ? -ENOMEM : 0;
}

static int file_open(struct rtl_file *file)
{
	if (file->f_minor >= RTF_MAX_FIFO)
		return -ENOENT;
	if (!(file->f_flags & O_NONBLOCK))
		return -EACCES;
	return fifo_prepare((unsigned int)file->f_minor, file->f_flags);
}

/* A FIFO has fewer bytes than INT_MAX, so a larger count has the result of INT_MAX. */
static int count_of(size_t count)
{
	return count < INT_MAX ? (int)count : INT_MAX;
}

static ssize_t file_read(struct rtl_file *file, char *to, size_t count, loff_t *at)
{
	(void)at;
	return rtf_get((unsigned int)file->f_minor, to, count_of(count));
}

static ssize_t file_write(struct rtl_file *file, const char *from, size_t count, loff_t *at)
{
	(void)at;
	return rtf_put((unsigned int)file->f_minor, from, count_of(count));
}

static int file_ioctl(struct rtl_file *file, unsigned int command, unsigned long argument)
{
	if (command != RTF_SETSIZE || rtf_resize((unsigned int)file->f_minor, (int)argument))
		return -EINVAL;
	return 0;
}

struct rtl_file_operations rtlinux_fifo_operations = {
	.read = file_read,
	.write = file_write,
	.ioctl = file_ioctl,
	.open = file_open,
};

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
