// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cli/command/exporter/answer.h>

static char *answer(const char *status, const char *type, const char *text, size_t length,
		    bool body, size_t *size)
{
	char *whole = NULL;
	FILE *out = open_memstream(&whole, size);

	if (!out)
		return NULL;
	fprintf(out, "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n", status, type,
		length);
	if (!strncmp(status, "405", 3))
		fputs("Allow: GET, HEAD\r\n", out);
	fputs("Cache-Control: no-store\r\nConnection: close\r\n\r\n", out);
	if (body)
		fwrite(text, 1, length, out);
	if (!fclose(out))
		return whole;
	free(whole);
	return NULL;
}

char *answer_status(const char *status, bool body, size_t *size)
{
	char text[80];
	int length = snprintf(text, sizeof(text), "%s\n", status);

	return answer(status, "text/plain", text, (size_t)length, body, size);
}

static char *answer_page(const struct answer_page *page, bool body, size_t *size)
{
	size_t length;
	char *text = page->make(&length), *whole;

	if (!text)
		return answer_status("503 Service Unavailable", body, size);
	whole = answer("200 OK", page->type, text, length, body, size);
	free(text);
	return whole;
}

/* Returns whether the second word of the first line, without its query, is `path`. */
static bool is_path(const char *target, const char *path)
{
	size_t length = strcspn(target, " ?");

	return length == strlen(path) && !strncmp(target, path, length);
}

char *answer_request(const char *head, const struct answer_page *pages, size_t *size)
{
	const char *line_end = strstr(head, "\r\n"), *version = strstr(head, " HTTP/1.");
	bool get = !strncmp(head, "GET /", 5), only_head = !strncmp(head, "HEAD /", 6);
	const char *target = head + (get ? 4 : 5);

	if (!line_end || !version || version > line_end)
		return answer_status("400 Bad Request", true, size);
	if (!get && !only_head)
		return answer_status("405 Method Not Allowed", true, size);
	for (const struct answer_page *page = pages; page->path; page++)
		if (is_path(target, page->path))
			return answer_page(page, get, size);
	return answer_status("404 Not Found", get, size);
}
