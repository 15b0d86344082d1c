// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cli/tun/tun.h>
#include <limpet/node.h>

/* Goes on with what whoever had it before has left. */
static void end_begin(struct link *link, const struct limpet_node_info *info)
{
	struct limpet_channel_header *header = link->memory;
	char *rings = (char *)link->memory + LIMPET_CHANNEL_PAGE;

	link->end = (struct limpet_end){
		.self = &header->host,
		.peer = &header->component,
		.in = rings,
		.in_size = info->to_linux,
		.out = rings + info->to_linux,
		.out_size = info->to_component,
	};
	limpet_end_adopt(&link->end, LIMPET_MESSAGE_HEADER);
}

static int link_map(struct link *link)
{
	struct limpet_node_info info;

	if (ioctl(link->fd, LIMPET_NODE_INFO, &info))
		return -errno;
	if (info.version != LIMPET_NODE_VERSION || info.mode != LIMPET_CHANNEL_MESSAGES ||
	    !info.to_linux || !info.to_component)
		return -EPROTO;
	link->size = info.size;
	link->memory = mmap(NULL, link->size, PROT_READ | PROT_WRITE, MAP_SHARED, link->fd, 0);
	if (link->memory == MAP_FAILED)
		return -errno;
	end_begin(link, &info);
	return 0;
}

int link_open(struct link *link, const char *path)
{
	int error;

	*link = (struct link){ .fd = open(path, O_RDWR | O_CLOEXEC) };
	if (link->fd < 0)
		return -errno;
	error = link_map(link);
	if (error) {
		close(link->fd);
		return error;
	}
	pthread_mutex_init(&link->lock, NULL);
	ioctl(link->fd, LIMPET_NODE_NOTIFY);
	return 0;
}

void link_close(struct link *link)
{
	pthread_mutex_destroy(&link->lock);
	munmap(link->memory, link->size);
	close(link->fd);
}

bool link_connected(struct link *link)
{
	bool connected = limpet_end_connected(&link->end);

	if (link->end.peer_generation != link->told) {
		link->told = link->end.peer_generation;
		ioctl(link->fd, LIMPET_NODE_NOTIFY);
	}
	return connected;
}

int link_wait(const struct link *link, uint32_t what)
{
	return ioctl(link->fd, LIMPET_NODE_WAIT, (unsigned long)what) ? -errno : 0;
}

void link_tell(struct link *link, uint32_t what)
{
	if (limpet_end_wanted(&link->end, what))
		ioctl(link->fd, LIMPET_NODE_NOTIFY);
}
