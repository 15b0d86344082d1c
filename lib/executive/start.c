// SPDX-License-Identifier: BSD-2-Clause
#include <executive/executive.h>
#include <executive/start.h>
#include <runtime/component.h>
#include <runtime/print.h>

bool executive_start(word kinds)
{
	long threads = executive_serve(kinds);

	if (threads < 0)
		limpet_print("cannot serve guests: %s\n", limpet_error_text(threads));
	else
		limpet_print("serves guests with %ld threads\n", threads);
	return threads >= 0;
}
