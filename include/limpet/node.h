/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * /dev/limpet/NAME: the Linux end of the channel NAME, <limpet/channel.h>. Version 4.
 * A channel has at most one reader and one writer at a time. A process that opens the node for reading and writing is
 * both. Any number of processes can open a channel of mode shared. Each event of it is read by one of them. A monitor is
 * neither a reader nor a writer, see LIMPET_NODE_HEADER. The permissions of the node control access. Every call returns
 * 0 or more, or -1 with errno.
 *
 *   open     EBUSY: the channel already has a reader, or a writer; or it is open by another file than this one, such as
 *            a second node with the same device number. ENXIO: the component has not been made yet
 *   read     waits for data. Messages: reads one; EMSGSIZE: it is longer than the buffer, and stays in the channel.
 *            Bytes: reads the available bytes. Shared: reads the number of events since the last read, as uint64_t
 *   write    waits for space. Messages: writes one; EMSGSIZE: it is too long for the ring. Bytes: writes as many bytes
 *            as there is space for
 *   mmap     maps the whole channel, shared. The channel must be open for reading and writing. The process then
 *            accesses the rings itself (liblimpet), and read and write fail with EBADFD
 *   poll     POLLIN, POLLOUT: read, or write of a message of any length, would not wait. POLLPRI: events arrived.
 *            POLLHUP: the component was stopped, or the system ended, since open
 *   fsync    sends an event that is not counted, so that the component checks the rings. fdatasync does the same. It is
 *            not an ioctl, because Linux's security modules make ioctls slow
 *   O_NONBLOCK   EAGAIN instead of waiting
 *
 * After the component was stopped, read returns the remaining data, then EPIPE. write returns EPIPE. A process that
 * opens the channel again is connected to the component when that runs again. Data that a process has written, and the
 * component has not read yet, stay in the channel when the process ends.
 *
 * After the system has ended, read returns EPIPE, even if data are left. The memory of the channel is then freed,
 * although files are open: in beside mode with the system, in beneath mode when the next system is loaded. Each page of
 * each mapping is replaced by the same zeroed page, which all processes that have mapped the channel share.
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
#include <limpet/limits.h>

#define LIMPET_NODES "/dev/limpet/"
#define LIMPET_NODE_VERSION 4

/*
 * The number of waiters is bounded, so that processes cannot increase the cost of a wake-up for the component's CPU.
 * At most LIMPET_NODE_SLEEPERS threads wait in read(), write() and LIMPET_NODE_WAIT, and are woken directly. The next
 * one gets EBUSY. At most LIMPET_NODE_WATCHES waits by poll(), select() and epoll exist, and the next one gets POLLERR.
 * An epoll instance counts once for each descriptor. An ordinary thread of Linux wakes them, so poll() returns later
 * than read().
 */

struct limpet_node_info {
	uint32_t version;  /* LIMPET_NODE_VERSION */
	uint32_t mode;	   /* enum limpet_channel_mode */
	uint32_t to_linux; /* as in struct limpet_channel_header */
	uint32_t to_component;
	uint64_t size;	/* bytes to map at offset 0 */
	uint32_t stops; /* number of stops of its component before open */
	uint32_t gone;	/* 1: POLLHUP */
};

#define LIMPET_NODE_INFO _IOR('L', 32, struct limpet_node_info)
/*
 * Copies the words of both sides. They are as the sides wrote them, and not checked. `head` counts all bytes that a
 * side has put into its ring in its `generation`, a message with its length and padding. EPIPE: the system has ended.
 *
 * It is for monitors. A process that opens the node with flags LIMPET_NODE_MONITOR can neither read nor write. So it
 * can have the node open beside a reader and a writer, and does not connect to the component. It needs the permissions
 * for both. O_ACCMODE is not these flags in each C library.
 */
#define LIMPET_NODE_MONITOR 3
#define LIMPET_NODE_HEADER _IOR('L', 38, struct limpet_channel_header)
/*
 * Waits until one of the conditions LIMPET_SLEEP_... in the argument holds, or the other side has restarted.
 * LIMPET_NODE_WAIT_MS() added to the argument is a time limit. EPIPE: as POLLHUP, and no data are left to read.
 * EAGAIN: the time limit has passed. EBUSY: LIMPET_NODE_SLEEPERS threads wait already.
 */
#define LIMPET_NODE_WAIT _IO('L', 34)
#define LIMPET_NODE_WAIT_MS(ms) (((uint64_t)(uint32_t)(ms) + 1) << 32)
/*
 * EVENT: sends the component an event. EVENTS: returns the number of events since the last call. EBADF: the file was
 * opened with LIMPET_NODE_MONITOR.
 */
#define LIMPET_NODE_EVENT _IO('L', 35)
#define LIMPET_NODE_EVENTS _IOR('L', 36, uint64_t)

struct limpet_node_tap {
	int32_t fd; /* a TAP device with IFF_NO_PI, without IFF_VNET_HDR; another descriptor on return */
	uint32_t link; /* 1: both sides are connected, else 0 */
};

/*
 * Carries frames between a TAP device and a channel of messages in both directions, <limpet/network.h>, with complete
 * checksums and MTU 1500, until the call returns. The channel must be open for reading and writing, and not mapped. The
 * call returns when the state of the link differs from `link`, and stores the new state there. Errors:
 *
 *   EPIPE    as POLLHUP
 *   EBADF    `fd` is not open
 *   EBUSY    another thread is in this call, or another process or call refers to the open file. Other uses of the
 *            channel during this call get EBUSY, too
 *   EINVAL   the file is not /dev/net/tun, open for reading and writing, or the channel does not have messages in both
 *            directions
 *   EBADFD   the channel is mapped, or the device has no interface any more
 *   EMFILE   other threads have used up all descriptors; the file is closed
 *
 * The call removes the open file from the process, so that no other thread can use it. On return, also after an error,
 * the file is the descriptor in `fd`, which exec closes.
 */
#define LIMPET_NODE_TAP _IOWR('L', 37, struct limpet_node_tap)

#endif
