// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>

#include <export/stage.h>

long stage_serve_request(word badge)
{
	(void)badge;
	return LIMPET_OK;
}

long stage_serve_stages(word badge)
{
	(void)badge;
	return 1;
}
