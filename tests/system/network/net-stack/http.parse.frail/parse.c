// SPDX-License-Identifier: BSD-2-Clause
/* Like the component http.parse, but one path crashes it. */
#include <runtime/memory.h>

#include "../../../../../components/demo/http.parse/request.h"

#define FRAIL "parse"

static unsigned int frail_parse(const char *text, size_t size, struct request *request)
{
	unsigned int code = request_parse(text, size, request);

	if (code == REQUEST_GOOD && request->length == sizeof(FRAIL) - 1 &&
	    !memcmp(request->path, FRAIL, request->length))
		*(volatile word *)0 = size;
	return code;
}

#define request_parse frail_parse
#include "../../../../../components/demo/http.parse/parse.c"
