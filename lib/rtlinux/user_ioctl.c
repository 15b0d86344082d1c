// SPDX-License-Identifier: BSD-2-Clause
/*
 * Implements rtf_link_user_ioctl(): the Linux context answers ioctl() of processes on FIFOs, see <limpet/rtf_ioctl.h>.
 * The bytes at the argument are a copy. A handler reads and writes them by copy_from_user() and related functions, or
 * directly. Only modules that call rtf_link_user_ioctl() contain this file.
 */
#include "core.h"

#include <channel/channel.h>
#include <fifo/fifo.h>
#include <limpet/rtf_ioctl.h>

#define HEADER (sizeof(struct limpet_rtf_ioctl) - LIMPET_RTF_IOCTL_BYTES)

static struct limpet_channel channel;
static bool opened;
static struct limpet_rtf_ioctl request; /* that a handler works on. Only the Linux context uses it */
static unsigned long user_bytes;	/* at request.data, while the handler runs */

/* Returns the name of the channel that the system file gives the module, or NULL. */
static const char *channel_name(void)
{
	const struct limpet_info *own = limpet_info();
	const struct limpet_info_channel *info = (const void *)own->channel_info;

	for (uint32_t i = 0; i < own->channels; i++)
		if (!strncmp(info[i].name, LIMPET_RTF_IOCTL, sizeof(LIMPET_RTF_IOCTL) - 1))
			return info[i].name;
	return NULL;
}

/* Lets the module's handler answer the request. */
static void request_handle(void)
{
	struct rtl_thread_struct *self = rtlinux_self();
	rtlinux_ioctl_handler *handler =
		request.fifo < RTF_MAX_FIFO ? rtlinux_ioctl_handlers[request.fifo] : NULL;
	unsigned char depth;

	request.status = handler		       ? LIMPET_RTF_ANSWERED
			 : fifo_is_given(request.fifo) ? LIMPET_RTF_UNLINKED
						       : LIMPET_RTF_FOREIGN;
	if (!handler)
		return;
	user_bytes = request.bytes;
	depth = rtlinux_module_begin(self);
	request.result = handler(request.fifo, request.command,
				 request.bytes ? (unsigned long)request.data : request.argument);
	rtlinux_module_end(self, depth);
	user_bytes = 0;
}

/*
 * Answers one request. The event lets the caller serve the module's other work before the next one. A request of the
 * wrong length is not from rtl_fifo.h, and gets no answer.
 */
static void request_serve(void)
{
	const long length = channel_receive(&channel, &request, sizeof(request));
	uint64_t unused;

	if (length == LIMPET_ERANGE && channel_peek(&channel, &unused))
		channel_release(&channel);
	if (length >= (long)HEADER && length == (long)HEADER + request.bytes) {
		const uint16_t bytes = request.bytes;

		request_handle();
		request.bytes = bytes;
		channel_send(&channel, &request, (uint64_t)length);
	}
	if (length != LIMPET_EEMPTY)
		limpet_call_endpoint_send(LIMPET_SLOT_ENDPOINT, RTLINUX_SERVE);
}

static bool channel_prepare(void)
{
	const char *name = opened ? NULL : channel_name();

	if (!name)
		return opened;
	opened = !channel_open(&channel, name);
	/* Linux sends an event for each request. */
	limpet_end_sleep(&channel.end, LIMPET_SLEEP_DATA);
	rtlinux_requests_serve = request_serve;
	return opened;
}

int rtf_link_user_ioctl(unsigned int fifo, rtlinux_ioctl_handler *handler)
{
	INSIDE;

	if (fifo >= RTF_MAX_FIFO)
		return -ENODEV;
	if (handler && !fifo_is_given(fifo))
		return 0; /* no process can open it */
	if (handler && !channel_prepare())
		return (int)rtlinux_refuse("rtf_link_user_ioctl",
					   "the system file gives the module no channel ioctl.rtfN",
					   -ENOSYS);
	rtlinux_ioctl_handlers[fifo] = handler;
	return 0;
}

unsigned long rtlinux_user_copy(void *to, const void *from, unsigned long count, const void *user)
{
	const unsigned long at = (unsigned long)user - (unsigned long)request.data;

	if (at > user_bytes || count > user_bytes - at)
		return count;
	memcpy(to, from, count);
	return 0;
}
