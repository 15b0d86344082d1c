// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <client/device.h>
#include <client/numbered.h>

static int channel_map(struct limpet_numbered *channel, unsigned int number, unsigned int cpu)
{
	struct limpet_ioc_channel want = { .number = number, .cpu = cpu };

	if (ioctl(channel->fd, LIMPET_IOC_CHANNEL, &want) < 0)
		return -errno;
	channel->size = want.size;
	channel->memory =
		mmap(NULL, channel->size, PROT_READ | PROT_WRITE, MAP_SHARED, channel->fd, 0);
	return channel->memory == MAP_FAILED ? -errno : 0;
}

int limpet_numbered_open(struct limpet_numbered *channel, unsigned int number, unsigned int cpu)
{
	int error;

	channel->fd = limpet_open();
	if (channel->fd < 0)
		return channel->fd;
	error = channel_map(channel, number, cpu);
	if (error)
		close(channel->fd);
	return error;
}

void limpet_numbered_close(struct limpet_numbered *channel)
{
	munmap(channel->memory, channel->size);
	close(channel->fd);
}
