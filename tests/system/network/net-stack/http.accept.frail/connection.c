// SPDX-License-Identifier: BSD-2-Clause
/* Like the component http.accept, but one request crashes it. */
#include <runtime/memory.h>

#include <import/http.h>

#include "../../../../../components/demo/http.accept/connection.h"

#define FRAIL "GET /accept "

static long frail_answer(word slot, word length, word last)
{
	if (length >= sizeof(FRAIL) - 1 &&
	    !memcmp(settings.slots[slot].request, FRAIL, sizeof(FRAIL) - 1))
		*(volatile word *)0 = length;
	return http_answer(slot, length, last);
}

#define http_answer(slot, length, last) frail_answer(slot, length, last)
#include "../../../../../components/demo/http.accept/connection.c"
