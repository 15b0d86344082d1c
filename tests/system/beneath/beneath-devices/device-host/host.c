// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/device.h>
#include <runtime/kernel_call.h>
#include <runtime/print.h>

void component_main(const struct limpet_info *info)
{
	const struct limpet_info_resource *line = limpet_resource(LIMPET_RESOURCE_INTERRUPT, 0);
	struct limpet_interrupt state;
	struct limpet_out out;

	(void)info;
	for (long status = limpet_interrupt_bind(line, 1, NULL); !status;) {
		status = limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, 0, &out);
		limpet_interrupt_ack(line, &state);
		if (state.death)
			limpet_print("Linux has ended, reason %lu\n", state.death);
		else
			limpet_print("Linux begins, event %lu\n", state.count);
	}
	limpet_print("no events\n");
}
