// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>

#include <export/pong.h>
#include <import/hand1.h>
#include <import/hand2.h>
#include <import/hand3.h>
#include <import/hand4.h>
#include <import/hand5.h>

long pong_serve_call4(word badge, word a, word b, word c, word d, struct pong_call4_results *out)
{
	(void)badge, (void)b, (void)c, (void)d, (void)out;
	switch (a) {
	case 1:
		return hand1_call0();
	case 2:
		return hand2_call0();
	case 3:
		return hand3_call0();
	case 4:
		return hand4_call0();
	case 5:
		return hand5_call0();
	}
	return LIMPET_ERANGE;
}
