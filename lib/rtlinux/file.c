// SPDX-License-Identifier: BSD-2-Clause
/*
 * Implements file operations of POSIX on devices of the module: /dev/rtfN, and those of rtl_register_rtldev(). A device
 * is visible in its own module only. Linux's devices are not visible.
 */
#include "core.h"

#define FILES 17   /* descriptors are 1 to 16, because some programs take 0 for a failure */
#define DEVICES 16 /* including the FIFOs */
#define MAJORS 256

/* A registered device. `operations` is NULL: unused. */
static struct device {
	const char *name;
	unsigned int major;
	struct rtl_file_operations *operations;
} devices[DEVICES] = { { "rtf", RTF_MAJOR, &rtlinux_fifo_operations } };

static struct {
	bool open;
	struct rtl_file file;
} files[FILES];

static int failed(int error)
{
	errno = error;
	return -1;
}

/* --- devices */

static struct device *device_find(unsigned int major)
{
	for (unsigned int i = 0; i < DEVICES; i++)
		if (devices[i].operations && devices[i].major == major)
			return &devices[i];
	return NULL;
}

int rtl_register_rtldev(unsigned int major, const char *name,
			struct rtl_file_operations *operations)
{
	if (major >= MAJORS || !name || !operations)
		return -EINVAL;
	if (device_find(major))
		return -EBUSY;
	for (unsigned int i = 0; i < DEVICES; i++)
		if (!devices[i].operations) {
			devices[i] = (struct device){ name, major, operations };
			return 0;
		}
	return -EBUSY;
}

int rtl_unregister_rtldev(unsigned int major, const char *name)
{
	struct device *device = device_find(major);

	if (!device || strcmp(device->name, name) != 0)
		return -EINVAL;
	device->operations = NULL;
	return 0;
}

/*
 * Finds the device of "/dev/NAME" and a minor number, which is 0 if it is missing. The name ends before the first
 * digit. Returns NULL if the module has no such device.
 */
static struct rtl_file_operations *path_find(const char *path, int *minor)
{
	static const char prefix[] = "/dev/";
	const char *name = path + sizeof(prefix) - 1;
	unsigned long length, number;
	char *end;

	if (strncmp(path, prefix, sizeof(prefix) - 1) != 0)
		return NULL;
	length = strcspn(name, "0123456789");
	number = simple_strtoul(name + length, &end, 10);
	*minor = number < INT_MAX ? (int)number : INT_MAX;
	for (unsigned int i = 0; i < DEVICES && !*end; i++)
		if (devices[i].operations && strlen(devices[i].name) == length &&
		    !strncmp(devices[i].name, name, length))
			return devices[i].operations;
	return NULL;
}

/* --- files */

/* Calls a function of a device, which is code of the module. The call has the type of `result`. */
#define DEVICE_CALL(result, call)                                                                  \
	do {                                                                                       \
		struct rtl_thread_struct *self = rtlinux_self();                                   \
		const unsigned char depth = rtlinux_module_begin(self);                            \
                                                                                                   \
		(result) = (call);                                                                 \
		rtlinux_module_end(self, depth);                                                   \
	} while (0)

static struct rtl_file *file_of(int file)
{
	return file > 0 && file < FILES && files[file].open ? &files[file].file : NULL;
}

int open(const char *path, int flags, ...)
{
	INSIDE;
	struct rtl_file_operations *operations;
	int file = 1, minor, error = 0;

	operations = path_find(path, &minor);
	if (!operations)
		return failed((int)rtlinux_refuse(
			"open",
			"a module has only /dev/rtf0 to /dev/rtf63 and devices that it registers",
			ENOENT));
	while (file < FILES && __atomic_exchange_n(&files[file].open, true, __ATOMIC_SEQ_CST))
		file++;
	if (file == FILES)
		return failed(ENOMEM);
	files[file].file = (struct rtl_file){ operations, minor, flags, 0 };
	if (operations->open)
		DEVICE_CALL(error, operations->open(&files[file].file));
	if (error >= 0)
		return file;
	files[file].open = false;
	return failed(-error);
}

static ssize_t result_of(ssize_t result)
{
	return result < 0 ? failed((int)-result) : result;
}

ssize_t read(int descriptor, void *to, size_t count)
{
	INSIDE;
	struct rtl_file *file = file_of(descriptor);
	ssize_t result = -EINVAL;

	if (!file)
		return failed(EBADF);
	if (file->f_op->read)
		DEVICE_CALL(result, file->f_op->read(file, to, count, &file->f_pos));
	return result_of(result);
}

ssize_t write(int descriptor, const void *from, size_t count)
{
	INSIDE;
	struct rtl_file *file = file_of(descriptor);
	ssize_t result = -EINVAL;

	if (!file)
		return failed(EBADF);
	if (file->f_op->write)
		DEVICE_CALL(result, file->f_op->write(file, from, count, &file->f_pos));
	return result_of(result);
}

int close(int descriptor)
{
	INSIDE;
	struct rtl_file *file = file_of(descriptor);
	int result = 0;

	if (!file)
		return failed(EBADF);
	if (file->f_op->release)
		DEVICE_CALL(result, file->f_op->release(file));
	files[descriptor].open = false;
	return result < 0 ? failed(-result) : 0;
}

/* Returns 0 for each result of the device that is not negative, as RTLinux does. */
int ioctl(int descriptor, int command, ...)
{
	INSIDE;
	struct rtl_file *file = file_of(descriptor);
	unsigned long argument;
	int result = -EINVAL;
	va_list more;

	if (!file)
		return failed(EBADF);
	va_start(more, command);
	argument = va_arg(more, unsigned long);
	va_end(more);
	if (file->f_op->ioctl)
		DEVICE_CALL(result, file->f_op->ioctl(file, (unsigned int)command, argument));
	return result < 0 ? failed(-result) : 0;
}

off_t lseek(int descriptor, off_t offset, int from)
{
	INSIDE;
	struct rtl_file *file = file_of(descriptor);
	loff_t result = -ESPIPE;

	if (!file)
		return failed(EBADF);
	if (file->f_op->llseek)
		DEVICE_CALL(result, file->f_op->llseek(file, offset, from));
	return result_of(result);
}

int rtl_get_minor(int descriptor)
{
	struct rtl_file *file = file_of(descriptor);

	return file ? file->f_minor : failed(EBADF);
}

long sysconf(int name)
{
	(void)name;
	return failed(EINVAL);
}

char *mmap(void *start, size_t length, int protection, int flags, int descriptor, off_t offset)
{
	INSIDE;
	struct rtl_file *file = file_of(descriptor);
	caddr_t address = MAP_FAILED;
	int result = -EINVAL;

	if (!file)
		result = -EBADF;
	else if (!file->f_op->mmap)
		rtlinux_refuse("mmap", "a component does not map physical memory", 0);
	else
		DEVICE_CALL(result, file->f_op->mmap(file, start, length, protection, flags, offset,
						     &address));
	if (result >= 0)
		return address;
	errno = -result;
	return MAP_FAILED;
}
