// SPDX-License-Identifier: GPL-2.0
#include <runtime/component.h>

#include <export/fragile.h>

/* The booter's thread has id 0. A thread that restarts the component has another id. */
long component_init(const struct limpet_info *info)
{
	(void)info;
	if (limpet_thread_id())
		asm volatile("ud2");
	return LIMPET_OK;
}

long fragile_serve_add(word badge, word value)
{
	(void)badge;
	return (long)(value & INT32_MAX);
}

long fragile_serve_life(word badge)
{
	(void)badge;
	return LIMPET_OK;
}

long fragile_serve_crash(word badge, word how, word chance)
{
	(void)badge;
	(void)how;
	(void)chance;
	asm volatile("ud2");
	return LIMPET_OK;
}
