/* SPDX-License-Identifier: BSD-2-Clause */
/* The component with the source WHOLE, which crashes when it serves the path FRAIL. */
#include <http/store.h>
#include <runtime/memory.h>

#define content_serve_find whole_find
long whole_find(word badge, word slot, word length, struct content_find_results *out);
#include WHOLE
#undef content_serve_find

long content_serve_find(word badge, word slot, word length, struct content_find_results *out)
{
	if (length == sizeof(FRAIL) - 1 && !memcmp(store.paths[slot], FRAIL, length))
		*(volatile word *)0 = length;
	return whole_find(badge, slot, length, out);
}
