// SPDX-License-Identifier: BSD-2-Clause
/* The component http.status, but one path is too much for it. */
#include <http/store.h>
#include <runtime/memory.h>

#define FRAIL "status"

#define content_serve_find whole_find
long whole_find(word badge, word slot, word length, struct content_find_results *out);
#include "../../../../../components/demo/http.status/status.c"
#undef content_serve_find

long content_serve_find(word badge, word slot, word length, struct content_find_results *out)
{
	if (length == sizeof(FRAIL) - 1 && !memcmp(store.paths[slot], FRAIL, length))
		*(volatile word *)0 = length;
	return whole_find(badge, slot, length, out);
}
