// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include <export/pong.h>

long pong_serve_call0(word badge)
{
	(void)badge;
	return limpet_call_component_stop(LIMPET_SLOT_STOP);
}
