// SPDX-License-Identifier: BSD-2-Clause
/* Defines functions for components that do not define them. */
#include <runtime/component.h>
#include <runtime/kernel_call.h>

__attribute__((weak)) long component_init(const struct limpet_info *info)
{
	(void)info;
	return 0;
}

__attribute__((weak)) void component_main(const struct limpet_info *info)
{
	(void)info;
}

__attribute__((weak)) _Noreturn void component_exit(void)
{
	struct limpet_out out;

	for (;;)
		limpet_call_endpoint_receive(LIMPET_SLOT_ENDPOINT, 0, 0, &out);
}
