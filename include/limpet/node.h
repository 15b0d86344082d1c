/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/limpet/NAME: the Linux end of the channel NAME, <limpet/channel.h>. Version 4.
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
 * After the component was stopped, read gives what is left, then EPIPE; write gives EPIPE. A process that opens the
 * channel again is connected to the component when that runs again. What one process has put in, and the component
 * has not taken out yet, stays when that process ends.
 *
 * After the system has ended, read gives EPIPE, also if something was left. The memory of the channel is then freed,
 * although files are open: in beside mode with the system, in beneath mode when the next system is loaded. A mapping
 * has a zeroed page of the process's own instead, which is shared by all addresses of the mapping.
 *
 * Each console and each supervisor has a channel of mode shared, which only root may open: console.CPU
 * (<limpet/ring.h>) and crash.CPU (<limpet/crash.h>). CPU is the system's number. The host process has console.CPU
 * open.
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
#define LIMPET_NODE_VERSION 4

/*
 * The number of waiters is bounded, so that processes cannot make a wake-up cost the component's CPU more.
 * SLEEPERS: threads in read(), write() and LIMPET_NODE_WAIT at one time, which are woken directly. The next one
 * gets EBUSY.
 * WATCHES: waits by poll(), select() and epoll at one time. An epoll instance counts once for each descriptor. An
 * ordinary thread of Linux wakes them, so poll() returns later than read(). The next one gets POLLERR.
 */
#define LIMPET_NODE_SLEEPERS 2
#define LIMPET_NODE_WATCHES 16

struct limpet_node_info {
	uint32_t version;  /* LIMPET_NODE_VERSION */
	uint32_t mode;	   /* enum limpet_channel_mode */
	uint32_t to_linux; /* as in struct limpet_channel_header */
	uint32_t to_component;
	uint64_t size;	/* bytes to map at offset 0 */
	uint32_t stops; /* times that its component had been stopped at open */
	uint32_t gone;	/* 1: POLLHUP */
};

#define LIMPET_NODE_INFO _IOR('L', 32, struct limpet_node_info)
/*
 * Waits until one of the conditions LIMPET_SLEEP_... in the argument holds, or the other side has restarted.
 * LIMPET_NODE_WAIT_MS() added to the argument is a time limit. EPIPE: as POLLHUP, and nothing is left to read.
 * EAGAIN: the time is over. EBUSY: LIMPET_NODE_SLEEPERS threads wait already.
 */
#define LIMPET_NODE_WAIT _IO('L', 34)
#define LIMPET_NODE_WAIT_MS(ms) (((uint64_t)(uint32_t)(ms) + 1) << 32)
/* One more event for the component; EVENTS: how many came since the last call. */
#define LIMPET_NODE_EVENT _IO('L', 35)
#define LIMPET_NODE_EVENTS _IOR('L', 36, uint64_t)

struct limpet_node_tap {
	int32_t fd; /* of a TAP device with IFF_NO_PI, without IFF_VNET_HDR; another one on return */
	uint32_t link; /* whether both sides have seen each other: 0 or 1 */
};

/*
 * Carries frames between a TAP device and a channel of messages both ways, <limpet/network.h>, checksums whole,
 * MTU 1500; as long as this call waits, and no longer. Who has opened the channel for both and not mapped it
 * calls. Returns when `link` is no longer so, and it says then what is. EPIPE: as POLLHUP. EBADF: no open file.
 * EBUSY: another thread is in this call, or another process or call refers to the open file; each other use of the
 * channel during this call also gets EBUSY. EINVAL: the file is not /dev/net/tun, for both, or the channel not of
 * messages both ways. EBADFD: mapped; or the device is no interface's, or not any more.
 *
 * The call takes the open file out of the process, so that no other thread can use it. It returns the file, also
 * after an error, as the descriptor in `fd`, which exec closes. EMFILE: other threads have used up all descriptors,
 * and the file is closed.
 */
#define LIMPET_NODE_TAP _IOWR('L', 37, struct limpet_node_tap)

#endif
