// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>

#include <export/pong.h>
#include <import/shared.h>

/* The calling thread keeps the component's stack until the shared server returns. */
long pong_serve_call4(word badge, word a, word b, word c, word d, struct pong_call4_results *out)
{
	(void)badge;
	return shared_call4(a, b, c, d, &out->x, &out->y, &out->z);
}

long pong_serve_call0(word badge)
{
	(void)badge;
	return LIMPET_OK;
}
