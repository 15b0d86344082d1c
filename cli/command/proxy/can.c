// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cli/command/proxy/can.h>
#include <cli/common/report.h>

#define LOOK_MS 100 /* time between two checks whether the interface is up again */
#define FULL_MS 1   /* delay before another attempt if the interface's queue was full */

_Static_assert(CAN_EFF_FLAG == LIMPET_CAN_EXTENDED && CAN_RTR_FLAG == LIMPET_CAN_REMOTE &&
		       CAN_ERR_FLAG == LIMPET_CAN_ERROR,
	       "flags are those of Linux");

/* --- the interface */

static bool options_set(int fd)
{
	const can_err_mask_t errors = CAN_ERR_MASK;
	const int on = 1;

	return !setsockopt(fd, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &errors, sizeof(errors)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof(on));
}

/* Returns a socket that is bound to the interface, or a negative errno. */
static int socket_open(const char *interface)
{
	struct sockaddr_can address = { .can_family = AF_CAN };
	int fd, error;

	address.can_ifindex = (int)if_nametoindex(interface);
	if (!address.can_ifindex)
		return -ENODEV;
	fd = socket(PF_CAN, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_RAW);
	if (fd < 0)
		return -errno;
	if (options_set(fd) && !bind(fd, (const struct sockaddr *)&address, sizeof(address)))
		return fd;
	error = errno;
	close(fd);
	return -error;
}

static bool interface_up(const struct can_bus *bus)
{
	struct ifreq request = { 0 };

	strncpy(request.ifr_name, bus->interface, sizeof(request.ifr_name) - 1);
	return bus->socket >= 0 && !ioctl(bus->socket, SIOCGIFFLAGS, &request) &&
	       request.ifr_flags & IFF_UP;
}

static const char *error_text(const char *interface, int error)
{
	if (error == EAFNOSUPPORT || error == EPROTONOSUPPORT)
		return "Linux has no SocketCAN. Load the kernel modules can and can-raw.";
	if (error != ENODEV)
		return strerror(error);
	return if_nametoindex(interface)
		       ? "This is not a CAN interface. Name one that `ip -details link` shows as can or vcan."
		       : "There is no such interface. Create it with ip link, or correct the name.";
}

bool can_open(struct can_bus *bus, const char *interface, char *error, size_t size)
{
	*bus = (struct can_bus){ .interface = interface, .socket = socket_open(interface) };
	if (bus->socket >= 0)
		return true;
	report_line(error, size, "%s: %s", interface, error_text(interface, -bus->socket));
	bus->socket = -1;
	return false;
}

void can_close(struct can_bus *bus)
{
	if (bus->socket >= 0)
		close(bus->socket);
	bus->socket = -1;
}

/* Finds out whether the interface is up, and opens a socket if it exists again. */
static void interface_look(struct can_bus *bus)
{
	bool up;

	if (bus->socket < 0) {
		int fd = socket_open(bus->interface);

		bus->socket = fd < 0 ? -1 : fd;
		bus->overflows = 0;
	}
	up = interface_up(bus);
	bus->status_due |= up != bus->up;
	bus->up = up;
}

/* Handles an error of the socket. ENODEV: the interface was removed, and the socket belongs to no interface. */
static void socket_failed(struct can_bus *bus, int error)
{
	if (error == ENODEV || error == ENXIO)
		can_close(bus);
	interface_look(bus);
}

/* --- from the bus */

static uint64_t ns_of(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

/* Returns the ns since Linux's time stamp, or UINT32_MAX for more. */
static uint32_t age_of(const struct timespec *stamp)
{
	struct timespec now;
	uint64_t age;

	clock_gettime(CLOCK_REALTIME, &now);
	age = ns_of(&now) - ns_of(stamp);
	return age < UINT32_MAX ? (uint32_t)age : UINT32_MAX;
}

/* Reads the time stamp, and the number of frames that the socket has dropped. */
static void control_read(struct can_bus *bus, struct msghdr *message,
			 struct limpet_can_frame *frame)
{
	struct timespec stamp;
	uint32_t overflows;

	for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
	     header = CMSG_NXTHDR(message, header)) {
		if (header->cmsg_level != SOL_SOCKET)
			continue;
		if (header->cmsg_type == SO_TIMESTAMPNS) {
			memcpy(&stamp, CMSG_DATA(header), sizeof(stamp));
			frame->age = age_of(&stamp);
		} else if (header->cmsg_type == SO_RXQ_OVFL) {
			memcpy(&overflows, CMSG_DATA(header), sizeof(overflows));
			bus->missed += overflows - bus->overflows;
			bus->status_due |= overflows != bus->overflows;
			bus->overflows = overflows;
		}
	}
}

/* Reads a frame of the bus. Returns false without a frame. */
static bool frame_read(struct can_bus *bus, struct limpet_can_frame *to)
{
	struct can_frame frame = { 0 };
	char control[128] __attribute__((aligned(8)));
	struct iovec part = { &frame, sizeof(frame) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	ssize_t size = recvmsg(bus->socket, &message, 0);

	if (size != (ssize_t)sizeof(frame)) {
		if (size < 0 && errno != EAGAIN && errno != EINTR)
			socket_failed(bus, errno);
		return false;
	}
	*to = (struct limpet_can_frame){ .what = LIMPET_CAN_FRAME, .id = frame.can_id };
	to->length = frame.can_dlc <= LIMPET_CAN_DATA ? frame.can_dlc : LIMPET_CAN_DATA;
	memcpy(to->data, frame.data, to->length);
	control_read(bus, &message, to);
	to->time = __builtin_ia32_rdtsc();
	return true;
}

/* Writes a message to the channel. Returns 1, 0 if the channel is full, or a negative errno. */
static int message_write(int channel, const void *message, size_t size)
{
	if (write(channel, message, size) >= 0)
		return 1;
	return errno == EAGAIN || errno == EINTR ? 0 : -errno;
}

static int status_write(struct can_bus *bus, int channel)
{
	const struct limpet_can_status status = {
		.what = LIMPET_CAN_STATUS,
		.flags = (bus->up ? LIMPET_CAN_UP : 0) | (bus->first ? LIMPET_CAN_FIRST : 0),
		.unsent = bus->unsent,
		.missed = bus->missed,
	};
	int written = message_write(channel, &status, sizeof(status));

	if (written > 0)
		bus->status_due = bus->first = false;
	return written;
}

/* Writes a status that is due, or a frame. Returns 1, 0 without either, or a negative errno. */
static int to_component(struct can_bus *bus, int channel)
{
	int written;

	if (bus->status_due)
		return status_write(bus, channel);
	if (!bus->from_bus.what && (bus->socket < 0 || !frame_read(bus, &bus->from_bus)))
		return 0;
	if (bus->status_due)
		return 1; /* the counters go first, and then the frame that came with them */
	written = message_write(channel, &bus->from_bus, sizeof(bus->from_bus));
	if (written > 0)
		bus->from_bus.what = 0;
	return written;
}

/* --- to the bus */

static void frame_fails(struct can_bus *bus)
{
	bus->unsent++;
	bus->status_due = true;
	bus->to_bus.what = 0;
}

/* Reads a frame from the channel. Returns 1, 0 without a frame, or a negative errno. */
static int frame_take(struct can_bus *bus, int channel)
{
	ssize_t size = read(channel, &bus->to_bus, sizeof(bus->to_bus));

	if (size < 0) {
		bus->to_bus.what = 0;
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	}
	if (!size)
		return -EPIPE;
	if (size != (ssize_t)sizeof(bus->to_bus) || bus->to_bus.what != LIMPET_CAN_FRAME ||
	    bus->to_bus.length > LIMPET_CAN_DATA || bus->to_bus.id & LIMPET_CAN_ERROR)
		frame_fails(bus);
	return 1;
}

/* Writes the frame to the bus. It stays if the interface's queue is full. */
static bool frame_write(struct can_bus *bus)
{
	struct can_frame frame = { .can_id = bus->to_bus.id,
				   .can_dlc = (uint8_t)bus->to_bus.length };

	memcpy(frame.data, bus->to_bus.data, sizeof(frame.data));
	if (bus->socket >= 0 && write(bus->socket, &frame, sizeof(frame)) >= 0) {
		bus->to_bus.what = 0;
		return true;
	}
	if (bus->socket >= 0 && (errno == ENOBUFS || errno == EAGAIN || errno == EINTR))
		return false;
	frame_fails(bus);
	if (bus->socket >= 0)
		socket_failed(bus, errno);
	return true;
}

/* Moves one frame from the channel to the bus. Returns 1, 0 if there is nothing to do now, or a negative errno. */
static int to_bus(struct can_bus *bus, int channel)
{
	int taken = bus->to_bus.what ? 1 : frame_take(bus, channel);

	if (taken <= 0 || !bus->to_bus.what)
		return taken;
	return frame_write(bus);
}

/* --- the loop */

static int bus_wait(struct can_bus *bus, int channel)
{
	bool full = bus->status_due || bus->from_bus.what;
	struct pollfd list[2] = {
		{ channel, (short)((bus->to_bus.what ? 0 : POLLIN) | (full ? POLLOUT : 0)), 0 },
		{ full ? -1 : bus->socket, POLLIN, 0 },
	};
	int timeout = bus->to_bus.what ? FULL_MS : bus->up ? -1 : LOOK_MS;

	if (poll(list, 2, timeout) < 0)
		return errno == EINTR ? 0 : -errno;
	return list[0].revents & POLLHUP ? -EPIPE : 0;
}

/* Drops frames that an earlier proxy left in the channel, because they are old. */
static int channel_drain(struct can_bus *bus, int channel)
{
	int taken;

	while ((taken = frame_take(bus, channel)) > 0)
		if (bus->to_bus.what)
			frame_fails(bus);
	return taken;
}

int can_serve(struct can_bus *bus, int channel)
{
	int status;

	bus->unsent = bus->missed = bus->overflows = 0;
	bus->from_bus.what = bus->to_bus.what = 0;
	interface_look(bus);
	bus->status_due = bus->first = true;
	status = channel_drain(bus, channel);
	while (status >= 0) {
		int sent = to_bus(bus, channel);
		int received = sent < 0 ? sent : to_component(bus, channel);

		status = received < 0 ? received : 0;
		if (status || sent || received)
			continue;
		if (!bus->up)
			interface_look(bus);
		status = bus_wait(bus, channel);
	}
	return status == -EPIPE ? 0 : status;
}
