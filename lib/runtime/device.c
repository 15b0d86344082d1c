// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/device.h>
#include <runtime/kernel_call.h>

const struct limpet_info_resource *limpet_resource(enum limpet_resource kind, unsigned int n)
{
	const struct limpet_info *info = limpet_info();

	for (uint32_t i = 0; i < info->resources && i < LIMPET_INFO_RESOURCES; i++)
		if (info->resource[i].kind == kind && !n--)
			return &info->resource[i];
	return NULL;
}

word limpet_resource_slot(const struct limpet_info_resource *resource)
{
	const struct limpet_info *info = limpet_info();

	return info->resource_slot + (word)(resource - info->resource);
}

long limpet_port_read(const struct limpet_info_resource *ports, word offset, word bytes)
{
	struct limpet_out out;
	long status = limpet_call_io_read(limpet_resource_slot(ports), ports->first + offset, bytes,
					  &out);

	return status ? status : (long)out.w0;
}

long limpet_port_write(const struct limpet_info_resource *ports, word offset, word bytes,
		       uint32_t value)
{
	return limpet_call_io_write(limpet_resource_slot(ports), ports->first + offset, bytes,
				    value);
}

long limpet_interrupt_bind(const struct limpet_info_resource *interrupt, word bits,
			   struct limpet_message *message)
{
	struct limpet_out out;
	long status = limpet_call_interrupt_bind(limpet_resource_slot(interrupt),
						 LIMPET_SLOT_ENDPOINT, bits, &out);

	if (!status && message)
		*message = (struct limpet_message){ out.w0, out.w1 };
	return status;
}

long limpet_interrupt_ack(const struct limpet_info_resource *interrupt,
			  struct limpet_interrupt *state)
{
	struct limpet_out out;
	long status = limpet_call_interrupt_ack(limpet_resource_slot(interrupt), &out);

	if (!status && state)
		*state = (struct limpet_interrupt){ out.w0, out.w1 };
	return status;
}
