// SPDX-License-Identifier: BSD-2-Clause
#include "net.h"

long component_init(const struct limpet_info *info)
{
	long status;

	core_setup(info);
	life_setup();
	status = client_setup(info);
	return status ? status : host_setup(info);
}
