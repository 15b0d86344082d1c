// SPDX-License-Identifier: BSD-2-Clause
/* Defines what lib/executive does, whose interface `sched` this tree does not have. */
#include <runtime/component.h>

long executive_serve(unsigned long kinds);

long executive_serve(unsigned long kinds)
{
	return (long)kinds;
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	executive_serve(0);
}
