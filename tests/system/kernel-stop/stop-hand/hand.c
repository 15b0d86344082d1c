// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include <export/pong.h>

#include "../rest.h"

long pong_serve_call0(word badge)
{
	(void)badge;
	return limpet_call_component_stop(LIMPET_SLOT_STOP);
}

long pong_serve_call4(word badge, word a, word b, word c, word d, struct pong_call4_results *out)
{
	(void)badge, (void)a, (void)b, (void)c, (void)d, (void)out;
	return LIMPET_ECALL;
}
