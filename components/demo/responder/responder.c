// SPDX-License-Identifier: BSD-2-Clause
/*
 * A network host that answers requests with one thread, and measures the latency of received
 * frames.
 */
#include <channel/channel.h>
#include <limpet/network.h>
#include <runtime/component.h>
#include <runtime/figure.h>
#include <runtime/memory.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

#include "packet.h"

#define MEASURE_MAX 10000
#define MEASURED_PORT 7
#define SPIN_PRIORITY 50

static struct host host = { .mac = { 0x02 } };
static struct limpet_channel channel;
static uint16_t crash_on;

static volatile uint64_t now; /* time of the thread that spins */
static volatile bool spinning;
static uint32_t values[MEASURE_MAX];
static uint64_t measured, wanted, warm_up;

/* --- measurement */

static word spin(word unused)
{
	(void)unused;
	while (spinning)
		now = limpet_time();
	return 0;
}

static void measure_read(const struct limpet_info *info)
{
	int64_t max = limpet_arg_number(info, "measure", 0);
	int64_t before = limpet_arg_number(info, "warm-up", 0);

	wanted = max < 0 ? 0 : max > MEASURE_MAX ? MEASURE_MAX : (uint64_t)max;
	warm_up = before < 1 ? 1 : (uint64_t)before;
}

static bool measure_begin(void)
{
	spinning = true;
	if (sched_create((word)spin, 0, SPIN_PRIORITY) >= 0)
		return true;
	limpet_print(
		"nothing is measured, because the component has no spare thread. Set threads = 1 "
		"in the system file.\n");
	wanted = 0;
	return false;
}

static void measure_end(void)
{
	struct figure figure = figure_of_values(values, wanted);

	spinning = false;
	figure_print(&figure, "table3", "udp",
		     limpet_arg_text(limpet_info(), "subject", "limpet0"));
	limpet_print("done\n");
	wanted = 0;
}

static void measure(uint64_t time)
{
	uint64_t late = time - now;

	if (!spinning && !measure_begin())
		return;
	if (warm_up) {
		warm_up--;
		return;
	}
	values[measured++] = late < UINT32_MAX ? (uint32_t)late : UINT32_MAX;
	if (measured == wanted)
		measure_end();
}

/* --- frames */

/*
 * Sends back the answer to a request, or the datagram itself. Builds it in private memory, because Linux can also write
 * to the output ring.
 */
static void answer(const void *frame, uint64_t length, bool datagram)
{
	static _Alignas(8) uint8_t copy[PACKET_MAX];
	struct limpet_frame *out;

	if (length > sizeof(copy))
		return;
	memcpy(copy, frame, length);
	length = datagram ? packet_return(&host, copy, length) : packet_answer(&host, copy, length);
	out = length ? channel_reserve(&channel, sizeof(*out) + length) : NULL;
	if (!out)
		return; /* dropped, as on any network */
	*out = (struct limpet_frame){ 0 };
	memcpy(out + 1, copy, length);
	channel_commit(&channel, sizeof(*out) + length);
}

static void datagram(uint16_t port, uint64_t time, const void *frame, uint64_t length)
{
	if (port == MEASURED_PORT && wanted) {
		measure(time);
		/*
		 * Sends two answers. Linux takes a quarter of a page for each frame. With three
		 * frames, this one included, it needs a fresh page, which it clears, at one of four
		 * datagrams, as without answers.
		 */
		answer(frame, length, true);
		answer(frame, length, true);
	}
	if (port == crash_on)
		*(volatile int *)0 = 0;
}

/*
 * Handles a frame. It is in the ring, where Linux can change it, so each field that matters is read
 * once or from a copy.
 */
static void frame_take(const struct limpet_frame *message, uint64_t length)
{
	uint64_t time = limpet_time();
	uint16_t port;

	if (length < sizeof(*message))
		return;
	length -= sizeof(*message);
	port = packet_port(&host, message + 1, length);
	if (port)
		datagram(port, time, message + 1, length);
	else
		answer(message + 1, length, false);
}

static void frames_take(void)
{
	const void *message;
	uint64_t length;

	while ((message = channel_peek(&channel, &length))) {
		frame_take(message, length);
		channel_release(&channel);
	}
}

static bool begin(const struct limpet_info *info)
{
	const char *name = limpet_arg_text(info, "channel", "");

	host.ip = packet_address(limpet_arg_text(info, "address", "10.5.0.2"));
	memcpy(host.mac + 2, &host.ip, sizeof(host.ip));
	crash_on = (uint16_t)limpet_arg_number(info, "crash-on", 0);
	if (!host.ip)
		limpet_print(
			"argument address is '%s', but must be an IPv4 address. Correct the system file.\n",
			limpet_arg_text(info, "address", ""));
	else if (channel_open(&channel, name) < 0)
		limpet_print(
			"the component has no channel '%s'. Name it as owner in a [[channel]] of the system file.\n",
			name);
	else
		return true;
	return false;
}

void component_main(const struct limpet_info *info)
{
	if (!begin(info))
		return;
	if (limpet_arg_number(info, "checksums", 0))
		channel.end.self->takes = LIMPET_TAKES_CSUM;
	measure_read(info);
	for (;;) {
		channel_wait(channel.bit);
		frames_take();
	}
}
