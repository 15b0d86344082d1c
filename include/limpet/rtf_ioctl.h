/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ioctl() of a process on /dev/rtfN, which a handler of an RTLinux module answers. A channel of mode MESSAGES carries
 * it, because the component does not run in the process. rtl_fifo.h for Linux programs sends the request, and
 * lib/rtlinux answers it with the same message.
 *
 * The channel's name is LIMPET_RTF_IOCTL and a FIFO number. Its owner is the component that has this FIFO, and answers
 * for all its FIFOs. A process therefore asks the channel with its own number, and then those with lower numbers.
 */
#ifndef LIMPET_RTF_IOCTL_H
#define LIMPET_RTF_IOCTL_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#define LIMPET_RTF_IOCTL "ioctl.rtf"
#define LIMPET_RTF_IOCTL_BYTES 1024 /* maximum number of bytes at the argument */

enum limpet_rtf_ioctl_status {
	LIMPET_RTF_ANSWERED = 0,
	LIMPET_RTF_FOREIGN = 1,	 /* the FIFO does not belong to this component */
	LIMPET_RTF_UNLINKED = 2, /* the FIFO has no handler */
};

struct limpet_rtf_ioctl {
	uint64_t id; /* of the request. The answer has the same, so that late answers are dropped */
	uint64_t argument;
	uint32_t fifo, command;
	int32_t result;	 /* answer: of the handler */
	uint16_t status; /* answer: enum limpet_rtf_ioctl_status */
	uint16_t bytes; /* of `data`. 0: the argument is a value. Otherwise it is the address of these bytes */
	uint8_t data[LIMPET_RTF_IOCTL_BYTES]; /* a message ends after `bytes` of them */
};

_Static_assert(sizeof(struct limpet_rtf_ioctl) == 32 + LIMPET_RTF_IOCTL_BYTES, "no padding");

#endif
