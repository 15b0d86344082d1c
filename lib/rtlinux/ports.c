// SPDX-License-Identifier: BSD-2-Clause
/* I/O ports that the system file assigns to the module. */
#include "core.h"

#include <runtime/device.h>
#include <runtime/print.h>

/* Returns the module's range of ports with this one, or NULL. */
static const struct limpet_info_resource *range_of(unsigned int port)
{
	const struct limpet_info_resource *range;

	for (unsigned int n = 0; (range = limpet_resource(LIMPET_RESOURCE_PORTS, n)); n++)
		if (port >= range->first && port - range->first < range->count)
			return range;
	return NULL;
}

static void refuse(const char *function, unsigned int port)
{
	limpet_print(
		"%s: The system file does not assign port 0x%x to the module. Add it to ports.\n",
		function, port);
}

unsigned int rtlinux_in(unsigned int port, unsigned int bytes)
{
	INSIDE;
	const struct limpet_info_resource *range = range_of(port);
	const long value = range ? limpet_port_read(range, port - range->first, bytes) : -1;

	if (value >= 0)
		return (unsigned int)value;
	refuse("in", port);
	return ~0u; /* value of a port without a device */
}

void rtlinux_out(unsigned int value, unsigned int port, unsigned int bytes)
{
	INSIDE;
	const struct limpet_info_resource *range = range_of(port);

	if (!range || limpet_port_write(range, port - range->first, bytes, value))
		refuse("out", port);
}

void rtlinux_in_string(unsigned int port, void *to, unsigned long count, unsigned int bytes)
{
	char *at = to;

	for (; count; count--, at += bytes) {
		const unsigned int value = rtlinux_in(port, bytes);

		memcpy(at, &value, bytes);
	}
}

void rtlinux_out_string(unsigned int port, const void *from, unsigned long count,
			unsigned int bytes)
{
	const char *at = from;

	for (; count; count--, at += bytes) {
		unsigned int value = 0;

		memcpy(&value, at, bytes);
		rtlinux_out(value, port, bytes);
	}
}
