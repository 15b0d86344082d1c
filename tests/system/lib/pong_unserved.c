// SPDX-License-Identifier: BSD-2-Clause
/* Weak default functions of the interface pong, which a test component replaces by its own functions. */
#include <export/pong.h>

#define UNSERVED __attribute__((weak))

UNSERVED long pong_serve_call0(word badge)
{
	(void)badge;
	return LIMPET_ECALL;
}

UNSERVED long pong_serve_call4(word badge, word a, word b, word c, word d,
			       struct pong_call4_results *out)
{
	(void)badge, (void)a, (void)b, (void)c, (void)d, (void)out;
	return LIMPET_ECALL;
}

UNSERVED long pong_serve_call6(word badge, word a, word b, word c, word d, word e, word f,
			       struct pong_call6_results *out)
{
	(void)badge, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)out;
	return LIMPET_ECALL;
}

UNSERVED long pong_serve_stamp(word badge, struct pong_stamp_results *out)
{
	(void)badge, (void)out;
	return LIMPET_ECALL;
}

UNSERVED long pong_serve_done(word badge)
{
	(void)badge;
	return LIMPET_ECALL;
}
