// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include <client/guest.h>

static int call(int fd, unsigned long request, void *argument)
{
	int result = ioctl(fd, request, argument);

	return result < 0 ? -errno : result;
}

int limpet_guest_open(void)
{
	int fd = open(LIMPET_GUEST_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int limpet_guest_enter(int fd, uint32_t system, uint32_t component, uint32_t flags,
		       const uint64_t filter[LIMPET_GUEST_FILTER_WORDS])
{
	struct limpet_guest_enter enter = { .system = system,
					    .component = component,
					    .flags = flags };

	memcpy(enter.filter, filter, sizeof(enter.filter));
	return call(fd, LIMPET_GUEST_IOC_ENTER, &enter);
}

int limpet_guest_attach(int fd, pid_t pid, uint32_t system, uint32_t component, uint32_t flags,
			const uint64_t filter[LIMPET_GUEST_FILTER_WORDS])
{
	struct limpet_guest_enter enter = {
		.pid = (uint32_t)pid, .system = system, .component = component, .flags = flags
	};

	memcpy(enter.filter, filter, sizeof(enter.filter));
	return call(fd, LIMPET_GUEST_IOC_ATTACH, &enter);
}

int limpet_guest_release(int fd, pid_t pid)
{
	return call(fd, LIMPET_GUEST_IOC_RELEASE, (void *)(uintptr_t)pid);
}

int limpet_guest_filter(int fd, pid_t pid, const uint64_t filter[LIMPET_GUEST_FILTER_WORDS])
{
	struct limpet_guest_filter set = { .pid = (uint32_t)pid };

	memcpy(set.filter, filter, sizeof(set.filter));
	return call(fd, LIMPET_GUEST_IOC_FILTER, &set);
}

int limpet_guest_list(int fd, uint32_t first, struct limpet_guest_info *list, uint32_t count)
{
	struct limpet_guest_list want = {
		.buffer = (uintptr_t)list,
		.first = first,
		.count = count,
	};
	int got = call(fd, LIMPET_GUEST_IOC_LIST, &want);

	return got > 0 && (uint32_t)got > count ? -EPROTO : got;
}
