// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <limpet/node.h>

#include <cli/common/channel_load.h>
#include <cli/common/text.h>

static bool count_read(const char *root, const char *device, const char *name, uint64_t *count)
{
	char path[128];
	long number;

	snprintf(path, sizeof(path), "/sys/class/net/%s/statistics/%s", device, name);
	if (!text_read_number(root, path, &number))
		return false;
	*count = (uint64_t)number;
	return true;
}

static struct channel_load device_read(const char *root, const char *device)
{
	struct channel_load load = { .has_packets = true };
	uint64_t received, sent;

	load.known = count_read(root, device, "rx_bytes", &load.to_linux_bytes) &&
		     count_read(root, device, "rx_packets", &load.to_linux_packets) &&
		     count_read(root, device, "tx_bytes", &load.to_component_bytes) &&
		     count_read(root, device, "tx_packets", &load.to_component_packets) &&
		     count_read(root, device, "rx_dropped", &received) &&
		     count_read(root, device, "tx_dropped", &sent);
	if (!load.known)
		return (struct channel_load){ 0 };
	load.dropped = received + sent;
	return load;
}

/* A monitor neither reads nor writes. */
static struct channel_load rings_read(const char *root, const char *name)
{
	struct channel_load load = { 0 };
	struct limpet_channel_header header;
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s" LIMPET_NODES "%s", root, name);
	fd = open(path, LIMPET_NODE_MONITOR | O_CLOEXEC);
	if (fd < 0)
		return load;
	if (!ioctl(fd, LIMPET_NODE_HEADER, &header))
		load = (struct channel_load){
			.known = true,
			.generation = { header.component.generation, header.host.generation },
			.to_linux_bytes = header.component.head,
			.to_component_bytes = header.host.head,
		};
	close(fd);
	return load;
}

struct channel_load channel_load_read(const char *root, const struct image *image,
				      const struct limpet_image_channel *channel)
{
	const char *name = image_string(image, channel->name);

	switch (channel->mode) {
	case LIMPET_CHANNEL_NETWORK:
		return device_read(root, name);
	case LIMPET_CHANNEL_MESSAGES:
	case LIMPET_CHANNEL_BYTES:
		return rings_read(root, name);
	}
	return (struct channel_load){ 0 };
}

bool channel_load_continues(const struct channel_load *before, const struct channel_load *after)
{
	return before->known && after->known && before->generation[0] == after->generation[0] &&
	       before->generation[1] == after->generation[1];
}
