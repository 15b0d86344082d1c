/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/limpet/NAME: the Linux end of the channel NAME, <limpet/channel.h>. Version 3.
 * One reader and one writer at a time; who opens it for both is both. Access is by the permissions of the
 * node. Every call returns 0 or more, or -1 with errno.
 *
 *   open     EBUSY: somebody reads, or writes, already. ENXIO: its component has not been made yet
 *   read     messages: one, EMSGSIZE if it is longer, and then it stays; bytes: what there is;
 *            shared: how many events came since the last read, as uint64_t. Waits until there is something
 *   write    messages: one, EMSGSIZE if it is too long for the ring; bytes: what there is room for;
 *            waits until there is room
 *   mmap     the whole channel, shared, of who has opened it for both. From then on this process works the
 *            rings itself (liblimpet), and read and write fail with EBADFD
 *   poll     POLLIN, POLLOUT as read and write (POLLOUT: a message of any length); POLLPRI: events came;
 *            POLLHUP: the component was stopped, or the system ended, since open
 *   fsync    an event that is not counted: the component looks at what was put in or taken out. fdatasync the
 *            same. It is no ioctl since Linux's security modules take a long look at each of those
 *   O_NONBLOCK   EAGAIN instead of waiting
 *
 * After POLLHUP nothing new comes: read gives what is left, then EPIPE, and write EPIPE. Who opens the
 * channel anew is connected to the component when it runs again. What one process has put in and the
 * component has not taken out yet stays when that process ends, however it ends.
 */
#ifndef LIMPET_NODE_H
#define LIMPET_NODE_H

#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
#include <sys/ioctl.h>
#endif

#include <limpet/channel.h>

#define LIMPET_NODES "/dev/limpet/"
#define LIMPET_NODE_VERSION 3

struct limpet_node_info {
	uint32_t version;  /* LIMPET_NODE_VERSION */
	uint32_t mode;	   /* enum limpet_channel_mode */
	uint32_t to_linux; /* as in struct limpet_channel_header */
	uint32_t to_component;
	uint64_t size;	/* bytes to map at offset 0 */
	uint32_t stops; /* times that its component was stopped */
	uint32_t gone;	/* 1: POLLHUP */
};

#define LIMPET_NODE_INFO _IOR('L', 32, struct limpet_node_info)
/*
 * Who has mapped it: waits until one of the bits of LIMPET_SLEEP_... in the argument is so, or the other side
 * has begun anew. EPIPE: as POLLHUP, and nothing is left to read.
 */
#define LIMPET_NODE_WAIT _IO('L', 34)
/* One more event for the component; EVENTS: how many came since the last call. */
#define LIMPET_NODE_EVENT _IO('L', 35)
#define LIMPET_NODE_EVENTS _IOR('L', 36, uint64_t)

struct limpet_node_tap {
	int32_t fd;    /* of a TAP device with IFF_NO_PI, without IFF_VNET_HDR */
	uint32_t link; /* whether both sides have seen each other: 0 or 1 */
};

/*
 * Carries frames between a TAP device and a channel of messages both ways, <limpet/network.h>, checksums whole,
 * MTU 1500; as long as this call waits, and no longer. Who has opened the channel for both and not mapped it
 * calls. Returns when `link` is no longer so, and it says then what is. EPIPE: as POLLHUP. EBUSY: another thread
 * is in this call, and so for every other use of the channel meanwhile. EBADF: no open file. EINVAL: the file is
 * not /dev/net/tun, for both, or the channel not of messages both ways. EBADFD: mapped; or the device is no
 * interface's, or not any more.
 */
#define LIMPET_NODE_TAP _IOWR('L', 37, struct limpet_node_tap)

#endif
