// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/kernel_call.h>
#include <runtime/time.h>

#include <export/pong.h>

#define STATUS_MASK 0x7ffffffful

long pong_serve_call0(word badge)
{
	(void)badge;
	return 0;
}

long pong_serve_call4(word badge, word a, word b, word c, word d, struct pong_call4_results *out)
{
	(void)badge;
	out->x = b;
	out->y = c;
	out->z = d;
	return (long)(a & STATUS_MASK);
}

long pong_serve_call6(word badge, word a, word b, word c, word d, word e, word f,
		      struct pong_call6_results *out)
{
	(void)badge;
	out->x = c;
	out->y = d;
	out->z = e + f;
	return (long)((a + b) & STATUS_MASK);
}

long pong_serve_stamp(word badge, struct pong_stamp_results *out)
{
	out->time = limpet_time();
	(void)badge;
	return 0;
}

static bool done;

long pong_serve_done(word badge)
{
	(void)badge;
	__atomic_store_n(&done, true, __ATOMIC_RELAXED);
	return 0;
}

/* The partner of ping's measurement of a dispatch. Used only with the argument dispatch-to. */
void component_main(const struct limpet_info *info)
{
	if (!limpet_arg_text(info, "dispatch-to", NULL))
		return;
	while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
		limpet_call_thread_dispatch(LIMPET_SLOT_FREE, 0);
}
