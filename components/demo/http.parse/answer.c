// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/memory.h>
#include <runtime/text.h>

#include "answer.h"

static const struct {
	unsigned int code;
	const char *reason, *why;
} codes[] = {
	{ 200, "OK", "" },
	{ 400, "Bad Request", "The request is not one of HTTP/1.1." },
	{ 404, "Not Found", "There is no such page." },
	{ 405, "Method Not Allowed", "Pages can be had with GET and HEAD." },
	{ 408, "Request Timeout", "The request did not come in time." },
	{ 411, "Length Required", "A body needs a Content-Length." },
	{ 413, "Content Too Large", "The body is too long." },
	{ 414, "URI Too Long", "The address is too long." },
	{ 417, "Expectation Failed", "What is expected is not done here." },
	{ 431, "Request Header Fields Too Large", "The fields are too many, or too long." },
	{ 500, "Internal Server Error", "A part of the server has failed." },
	{ 501, "Unknown Method or Coding", "The method, or the coding, is not known here." },
	{ 503, "Service Unavailable", "A part of the server has crashed. Ask again in a moment." },
	{ 505, "HTTP Version Not Supported", "HTTP/1.1 is spoken here, and 1.0." },
};

static const struct {
	const char *end, *type;
} types[] = {
	{ ".html", "text/html; charset=utf-8" },
	{ ".svg", "image/svg+xml" },
	{ ".css", "text/css; charset=utf-8" },
	{ ".js", "text/javascript; charset=utf-8" },
	{ ".json", "application/json" },
	{ ".txt", "text/plain; charset=utf-8" },
	{ ".png", "image/png" },
	{ ".jpg", "image/jpeg" },
	{ ".ico", "image/x-icon" },
};

static unsigned int code_index(unsigned int code)
{
	unsigned int i = 0;

	while (i < array_size(codes) - 1 && codes[i].code != code)
		i++;
	return i;
}

static const char *type_of(const struct request *request)
{
	for (unsigned int i = 0; i < array_size(types); i++) {
		size_t length = strlen(types[i].end);

		if (request->length >= length &&
		    !memcmp(request->path + request->length - length, types[i].end, length))
			return types[i].type;
	}
	/* The page of a folder is HTML. */
	if (!request->length || request->path[request->length - 1] == '/')
		return types[0].type;
	return "application/octet-stream";
}

static struct text begin(struct http_answer *answer, const struct request *request,
			 unsigned int index)
{
	struct text text = text_in(answer->text, sizeof(answer->text));

	answer->code = codes[index].code;
	answer->used = (uint32_t)request->used;
	answer->skip = request->skip;
	answer->close = request->close;
	answer->body = answer->length = 0;
	text_add(&text, "HTTP/1.1 %u %s\r\nServer: Limpet\r\nConnection: %s\r\n", codes[index].code,
		 codes[index].reason, request->close ? "close" : "keep-alive");
	return text;
}

void answer_found(struct http_answer *answer, const struct request *request,
		  const struct found *found)
{
	struct text text = begin(answer, request, 0);

	text_add(&text, "Content-Type: %s\r\n%sContent-Length: %lu\r\n\r\n", type_of(request),
		 found->live ? "Cache-Control: no-store\r\n" : "", found->size);
	if (!request->head) {
		answer->body = found->body;
		answer->length = found->size;
	}
	answer->head = (uint32_t)text.length;
}

void answer_error(struct http_answer *answer, const struct request *request, unsigned int code)
{
	unsigned int index = code_index(code);
	struct text text = begin(answer, request, index), page;
	char buffer[512];

	page = text_in(buffer, sizeof(buffer));
	text_add(
		&page,
		"<!doctype html>\n<meta charset=\"utf-8\">\n<title>%u %s</title>\n"
		"<body style=\"font: 1rem/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 30rem\">\n"
		"<h1>%u %s</h1>\n<p>%s</p>\n<p><a href=\"/\">Limpet</a></p>\n",
		codes[index].code, codes[index].reason, codes[index].code, codes[index].reason,
		codes[index].why);
	text_add(&text, "Content-Type: %s\r\n%sContent-Length: %lu\r\n\r\n%s", types[0].type,
		 code == 405   ? "Allow: GET, HEAD\r\n"
		 : code == 503 ? "Retry-After: 1\r\n"
			       : "",
		 page.length, request->head ? "" : buffer);
	answer->head = (uint32_t)text.length;
}
