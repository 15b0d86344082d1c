// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/print.h>

#include <import/inner.h>
#include <import/left.h>
#include <import/right.h>

#include "check.h"

word result_x, result_y;

static unsigned int verdicts;
static struct {
	unsigned int line;
	long got, wanted;
} wrong;

long order(enum peer peer, enum peer_action action, word b, word c, word d)
{
	word z;

	if (peer == LEFT)
		return left_call6(action, b, c, d, 0, 0, &result_x, &result_y, &z);
	if (peer == RIGHT)
		return right_call6(action, b, c, d, 0, 0, &result_x, &result_y, &z);
	return inner_call6(action, b, c, d, 0, 0, &result_x, &result_y, &z);
}

void expect(long got, long wanted, unsigned int line)
{
	if (got == wanted || wrong.line)
		return;
	wrong.line = line;
	wrong.got = got;
	wrong.wanted = wanted;
}

void verdict(const char *name)
{
	verdicts++;
	if (wrong.line)
		limpet_print("not %s: line %u: %ld, not %ld\n", name, wrong.line, wrong.got,
			     wrong.wanted);
	else
		limpet_print("ok %s\n", name);
	wrong.line = 0;
}

void verdicts_end(void)
{
	limpet_print("verdicts %u\n", verdicts);
}
