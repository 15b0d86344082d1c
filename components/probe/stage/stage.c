// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>

#include <export/stage.h>
#include <import/next.h>

long stage_serve_request(word badge)
{
	(void)badge;
	return next_request();
}

long stage_serve_stages(word badge)
{
	long behind = next_stages();

	(void)badge;
	return behind < 0 ? behind : behind + 1;
}
