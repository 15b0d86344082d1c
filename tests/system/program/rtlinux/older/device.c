// SPDX-License-Identifier: GPL-2.0
/* A device of the module for its own open(), with a number for each minor, and the clock with the time of day. */
#include <rtl.h>
#include <errno.h>
#include <fcntl.h>
#include <rtl_posixio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "older.h"

#define MAJOR_OF_WHEEL 200
#define WHEELS 3
#define TURN 5

static int turned[WHEELS], opens;

static int wheel_open(struct rtl_file *file)
{
	if (RTL_MINOR_FROM_FILEPTR(file) >= WHEELS)
		return -ENODEV;
	opens++;
	return 0;
}

static int wheel_release(struct rtl_file *file)
{
	opens--;
	return 0;
}

static ssize_t wheel_read(struct rtl_file *file, char *to, size_t count, loff_t *at)
{
	if (count < sizeof(int))
		return -EINVAL;
	memcpy(to, &turned[file->f_minor], sizeof(int));
	*at += sizeof(int);
	return sizeof(int);
}

static int wheel_ioctl(struct rtl_file *file, unsigned int command, unsigned long argument)
{
	if (command != TURN)
		return -ENOTTY;
	turned[file->f_minor] += argument;
	return turned[file->f_minor];
}

static loff_t wheel_seek(struct rtl_file *file, loff_t offset, int from)
{
	return file->f_pos + offset;
}

static int wheel_mmap(struct rtl_file *file, void *start, size_t length, int protection, int flags,
		      off_t offset, caddr_t *result)
{
	if (length > sizeof(turned))
		return -ENXIO;
	*result = (caddr_t)turned;
	return 0;
}

static struct rtl_file_operations operations = {
	wheel_seek, wheel_read, 0, wheel_ioctl, wheel_mmap, wheel_open, wheel_release,
};

static int fails(int result, int error)
{
	return result == -1 && errno == error;
}

static void registrations(void)
{
	expect(rtl_register_rtldev(256, "wheel", &operations) == -EINVAL,
	       "a major number above 255");
	expect(rtl_register_rtldev(150, "wheel", &operations) == -EBUSY,
	       "the major number of the FIFOs");
	expect(rtl_register_rtldev(MAJOR_OF_WHEEL, "wheel", &operations) == 0,
	       "rtl_register_rtldev");
	expect(rtl_register_rtldev(MAJOR_OF_WHEEL, "other", &operations) == -EBUSY,
	       "a major number that has a device");
	expect(rtl_unregister_rtldev(MAJOR_OF_WHEEL, "other") == -EINVAL, "the name of a device");
}

void device_test(void)
{
	int first, second, value = 0;

	registrations();
	expect(fails(open("/dev/whee", 0), ENOENT) && fails(open("/dev/wheel1x", 0), ENOENT) &&
		       fails(open("/tmp/wheel", 0), ENOENT),
	       "paths that are not of a device");
	expect(fails(open("/dev/wheel3", 0), ENODEV), "an error of the device's open");
	first = open("/dev/wheel", O_RDWR);
	second = open("/dev/wheel2", O_RDWR);
	expect(first > 0 && second > first && opens == 2, "open of two minor numbers");
	expect(rtl_get_minor(first) == 0 && rtl_get_minor(second) == 2, "rtl_get_minor");
	expect(ioctl(second, TURN, 30) == 0 && turned[2] == 30 && turned[0] == 0, "ioctl");
	expect(fails(ioctl(second, 6), ENOTTY), "an error of the device's ioctl");
	expect(read(second, &value, sizeof(value)) == sizeof(value) && value == 30, "read");
	expect(lseek(second, 0, SEEK_CUR) == sizeof(int), "lseek");
	expect(fails(read(second, &value, 1), EINVAL), "an error of the device's read");
	expect(fails(write(second, &value, 1), EINVAL), "a function that the device lacks");
	expect(mmap(0, sizeof(int), PROT_READ, MAP_SHARED, first, 0) == (void *)turned, "mmap");
	expect(mmap(0, 4096, PROT_READ, MAP_SHARED, first, 0) == MAP_FAILED && errno == ENXIO,
	       "an error of the device's mmap");
	expect(close(first) == 0 && close(second) == 0 && opens == 0, "close");
	expect(fails(read(second, &value, 4), EBADF) && fails(rtl_get_minor(second), EBADF),
	       "a closed file");
	expect(rtl_unregister_rtldev(MAJOR_OF_WHEEL, "wheel") == 0 &&
		       fails(open("/dev/wheel", 0), ENOENT),
	       "rtl_unregister_rtldev");
}

/* Compares CLOCK_GPOS with the other clock. The harness compares the logged time with Linux's. */
void day_test(void)
{
	struct timespec now, past = { 1, 0 };
	hrtime_t before = gethrtime(), at = clock_gethrtime(CLOCK_GPOS), until = at + 3000000;

	expect(at - before > 1600000000LL * NSECS_PER_SEC, "the time since the Epoch");
	expect(clock_gettime(CLOCK_GPOS, &now) == 0 && timespec_to_ns(&now) >= at,
	       "clock_gettime of CLOCK_GPOS");
	expect(clock_nanosleep(CLOCK_GPOS, TIMER_ABSTIME, &past, 0) == 0,
	       "a time of the day that has passed");
	now = timespec_from_ns(until);
	expect(clock_nanosleep(CLOCK_GPOS, TIMER_ABSTIME, &now, 0) == 0 &&
		       clock_gethrtime(CLOCK_GPOS) >= until && gethrtime() - before >= 3000000,
	       "a sleep until a time of the day");
	expect(clock_settime(CLOCK_GPOS, &now) == -1 && errno == EINVAL,
	       "CLOCK_GPOS cannot be set");
	rtl_printf("time of day %ld\n", (long)(clock_gethrtime(CLOCK_GPOS) / NSECS_PER_SEC));
}
