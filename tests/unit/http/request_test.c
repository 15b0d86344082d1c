// SPDX-License-Identifier: BSD-2-Clause
/* Tests the parser of requests with examples of RFC 9112 and with random bytes, from a seed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "request.h"

#define HOST "Host: a\r\n"
#define GET_A "GET /a HTTP/1.1\r\n" HOST /* more fields follow */
#define GET(target) "GET " target " HTTP/1.1\r\n" HOST "\r\n"
#define ROUNDS 300000

/* Copies exactly that many bytes, so that the sanitizer detects a read beyond them. */
static unsigned int parse(const char *text, size_t size, struct request *request)
{
	char *copy = malloc(size ? size : 1);
	unsigned int code;

	memcpy(copy, text, size);
	memset(request, 0xaa, sizeof(*request));
	code = request_parse(copy, size, request);
	free(copy);
	return code;
}

struct example {
	const char *text;
	unsigned int code;
	const char *path; /* of a valid request */
	bool close;
};

static const struct example examples[] = {
	{ GET("/"), 200, "", false },
	{ GET("/a/b.html"), 200, "a/b.html", false },
	{ "HEAD /?x=%zz HTTP/1.1\nHost: a\n\n", 200, "", false },
	{ "\r\n\r\nGET /a HTTP/1.1\r\n" HOST "\r\n", 200, "a", false },
	{ GET_A "Connection: foo, Close\r\n\r\n", 200, "a", true },
	{ "GET /a HTTP/1.0\r\n\r\n", 200, "a", true },
	{ "GET /a HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", 200, "a", false },
	{ "GET /a HTTP/1.9\r\n" HOST "\r\n", 200, "a", false },
	{ GET("http://h:8/a/b"), 200, "a/b", false },
	{ GET("HTTP://h"), 200, "", false },
	{ GET("http://h?q"), 200, "", false },
	{ GET("/a//./b/../c%20%41/"), 200, "a/c A/", false },
	{ GET("/a/.."), 200, "", false },
	{ GET("/%2e%2e/a"), 400, NULL, false },
	{ GET("/a/../../b"), 400, NULL, false },
	{ GET("/a%00b"), 400, NULL, false },
	{ GET("/a%2fb"), 400, NULL, false },
	{ GET("/a%4"), 400, NULL, false },
	{ GET("/a#b"), 400, NULL, false },
	{ GET("a"), 400, NULL, false },
	{ GET("http:///a"), 400, NULL, false },
	{ "GET  /a HTTP/1.1\r\n" HOST "\r\n", 400, NULL, true },
	{ "GET /a\r\n\r\n", 400, NULL, true },
	{ "GET /a HTTP/1.1 \r\n", 400, NULL, true },
	{ "GET /a HTTP/11\r\n", 400, NULL, true },
	{ "GET /a HTTP/2.0\r\n", 505, NULL, true },
	{ "GET /a http/1.1\r\n", 400, NULL, true },
	{ "G(T /a HTTP/1.1\r\n", 400, NULL, true },
	{ "\r\n\r\n\r\n\r\n\r\n\r\n", 400, NULL, true },
	{ "GET /a HTTP/1.1\r\n\r\n", 400, NULL, true },
	{ GET_A HOST "\r\n", 400, NULL, true },
	{ "GET /a HTTP/1.1\r\nHost: a b\r\n\r\n", 400, NULL, true },
	{ "GET /a HTTP/1.1\r\nHost : a\r\n", 400, NULL, true },
	{ GET_A " b\r\n", 400, NULL, true },
	{ GET_A "nothing\r\n", 400, NULL, true },
	{ GET_A "a: b\rc\r\n", 400, NULL, true },
	{ GET_A "Content-Length: 5\r\n\r\n", 200, "a", false },
	{ GET_A "Content-Length: 5, 5\r\nContent-length: 5\r\n\r\n", 200, "a", false },
	{ GET_A "Content-Length: 5\r\nContent-length: 6\r\n", 400, NULL, true },
	{ GET_A "Content-Length: -5\r\n", 400, NULL, true },
	{ GET_A "Content-Length:\r\n", 400, NULL, true },
	{ GET_A "Content-Length: 65537\r\n\r\n", 413, NULL, true },
	{ GET_A "Content-Length: 99999999999999999999\r\n", 413, NULL, true },
	{ GET_A "Transfer-Encoding: chunked\r\n\r\n", 411, NULL, true },
	{ GET_A "Transfer-Encoding: gzip\r\n\r\n", 501, NULL, true },
	{ GET_A "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", 400, NULL, true },
	{ GET_A "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n", 200, "a", true },
	{ GET_A "Expect: wonders\r\n\r\n", 417, NULL, true },
	{ "POST /a HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\n", 405, NULL, false },
	{ "OPTIONS * HTTP/1.1\r\n" HOST "\r\n", 405, NULL, false },
	{ "BREW /a HTTP/1.1\r\n" HOST "\r\n", 501, NULL, false },
	{ "get /a HTTP/1.1\r\n" HOST "\r\n", 501, NULL, false },
};

/* A prefix of a request is incomplete, or already as invalid as the whole. */
static void check_parts(const char *text, size_t size, unsigned int code)
{
	struct request request;

	for (size_t part = 0; part < size; part++) {
		unsigned int so_far = parse(text, part, &request);

		assert_true(so_far == REQUEST_INCOMPLETE || (so_far == code && code >= 400));
	}
}

static void examples_are_right(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < array_size(examples); i++) {
		const struct example *e = &examples[i];
		size_t size = strlen(e->text);
		struct request request;
		unsigned int code = parse(e->text, size, &request);

		if (code != e->code || request.close != e->close)
			fail_msg("%s: %u, close %d", e->text, code, request.close);
		if (e->path && strcmp(request.path, e->path) != 0)
			fail_msg("%s: path '%s'", e->text, request.path);
		if (code == REQUEST_GOOD)
			assert_int_equal(request.used, size);
		check_parts(e->text, size, code);
	}
}

static void bodies_are_skipped(void **state)
{
	static const char text[] = "POST / HTTP/1.1\r\n" HOST "Content-Length: 4\r\n\r\nBODYGET /";
	struct request request;

	(void)state;
	assert_int_equal(parse(text, sizeof(text) - 1, &request), 405);
	assert_int_equal(request.used, strlen(text) - strlen("BODYGET /"));
	assert_int_equal(request.skip, 4);
	assert_false(request.close);
}

static void sizes_have_limits(void **state)
{
	static char text[HTTP_REQUEST_MAX + 1];
	struct request request;
	int begin;

	(void)state;
	memset(text, 'a', HTTP_REQUEST_MAX);
	memcpy(text, "GET /", 5);
	assert_int_equal(parse(text, HTTP_REQUEST_MAX - 1, &request), REQUEST_INCOMPLETE);
	assert_int_equal(parse(text, HTTP_REQUEST_MAX, &request), 414);
	begin = sprintf(text, "GET / HTTP/1.1\r\n" HOST "x: ");
	text[begin] = 'a';
	assert_int_equal(parse(text, HTTP_REQUEST_MAX, &request), 431);
	begin = sprintf(text, "GET / HTTP/1.1\r\n");
	for (int i = 0; i <= REQUEST_FIELDS_MAX; i++)
		begin += sprintf(text + begin, "a:\r\n");
	assert_int_equal(parse(text, (size_t)begin, &request), 431);
	for (size_t length = HTTP_PATH_SIZE - 3; length <= HTTP_PATH_SIZE; length++) {
		memset(text, 'a', HTTP_REQUEST_MAX);
		memcpy(text, "GET /", 5);
		begin = (int)(5 + length);
		begin += sprintf(text + begin, " HTTP/1.1\r\n" HOST "\r\n");
		assert_int_equal(parse(text, (size_t)begin, &request),
				 length > HTTP_PATH_SIZE - 2 ? 414 : 200);
	}
}

/* Tests a path of several names, up to the maximum length, and all lengths above. */
static void paths_have_limits(void **state)
{
	static char text[HTTP_REQUEST_MAX];
	struct request request;

	(void)state;
	for (size_t first = HTTP_PATH_SIZE - 6; first <= HTTP_PATH_SIZE; first++)
		for (size_t second = 0; second < 600; second++) {
			int end = sprintf(text, "GET /%0*d/%0*d HTTP/1.1\r\n" HOST "\r\n",
					  (int)first, 1, (int)second, 1);
			size_t length = first + 1 + (second ? second : 1);
			unsigned int code = parse(text, (size_t)end, &request);

			assert_int_equal(code, length > HTTP_PATH_SIZE - 2 ? 414 : 200);
			if (code == REQUEST_GOOD)
				assert_int_equal(strlen(request.path), length);
		}
	for (size_t length = HTTP_PATH_SIZE - 6; length <= HTTP_PATH_SIZE; length++) {
		int end = sprintf(text, "GET /%0*d/ HTTP/1.1\r\n" HOST "\r\n", (int)length, 1);

		assert_int_equal(parse(text, (size_t)end, &request),
				 length + 1 > HTTP_PATH_SIZE - 2 ? 414 : 200);
	}
}

/* --- random requests */

static uint64_t chance_state = 1;

static unsigned int chance(unsigned int below)
{
	chance_state ^= chance_state << 13;
	chance_state ^= chance_state >> 7;
	chance_state ^= chance_state << 17;
	return (unsigned int)(chance_state >> 11) % below;
}

#define LONG_NAME "a-name-of-64-bytes-of-which-four-and-a-slash-make-a-path-too-long"
static const char *const words[] = {
	"GET ",
	"HEAD ",
	"POST ",
	"/",
	"/a/../b",
	"..",
	"%",
	"%2e",
	"%41",
	"?q",
	"http://",
	" HTTP/1.1",
	" HTTP/1.0",
	" HTTP/3.0",
	"\r\n",
	"\r\n",
	"\n",
	"\r",
	"Host: a",
	"Content-Length: ",
	"7",
	"123456",
	"Transfer-Encoding: ",
	"chunked",
	"Connection: ",
	"close",
	"keep-alive",
	",",
	" ",
	"\t",
	":",
	"#",
	"Expect: ",
	"100-continue",
	"\xff",
	"x: y\r\n",
	LONG_NAME "/",
};

static size_t text_of_words(char *text)
{
	size_t length = 0;

	for (unsigned int i = chance(24); i > 0; i--) {
		const char *word = words[chance(array_size(words))];

		memcpy(text + length, word, strlen(word));
		length += strlen(word);
	}
	return length;
}

static size_t text_changed(char *text)
{
	const char *from = examples[chance(array_size(examples))].text;
	size_t length = strlen(from);

	memcpy(text, from, length);
	for (unsigned int i = 1 + chance(3); i > 0 && length; i--)
		text[chance((unsigned int)length)] = (char)chance(256);
	return length;
}

static size_t text_random(char *text)
{
	size_t length = chance(200);

	for (size_t i = 0; i < length; i++)
		text[i] = (char)chance(256);
	return length;
}

/* A valid request has a path below the root, and ends at the reported position. */
static void check(const struct request *request, size_t size, unsigned int code)
{
	if (code == REQUEST_INCOMPLETE)
		return;
	assert_true(code == REQUEST_GOOD || (code >= 400 && code <= 505));
	assert_true(request->used <= size);
	assert_true(request->skip <= HTTP_BODY_MAX);
	if (code != REQUEST_GOOD)
		return;
	assert_true(request->length < HTTP_PATH_SIZE);
	assert_int_equal(strlen(request->path), request->length);
	assert_true(request->path[0] != '/');
	assert_null(strstr(request->path, "//"));
	assert_true(strncmp(request->path, "../", 3) != 0 && strcmp(request->path, "..") != 0);
	assert_null(strstr(request->path, "/../"));
}

static void anything_is_answered(void **state)
{
	size_t (*const kinds[])(char *) = { text_of_words, text_changed, text_random };
	unsigned int good = 0;
	char text[2048];

	(void)state;
	for (unsigned int i = 0; i < ROUNDS * array_size(kinds); i++) {
		size_t size = kinds[i % array_size(kinds)](text);
		struct request request;
		unsigned int code = parse(text, size, &request);

		check(&request, size, code);
		good += code == REQUEST_GOOD;
		if (i % 64 == 0)
			check_parts(text, code == REQUEST_INCOMPLETE ? size : request.used, code);
	}
	/* Otherwise random bytes would only test the start. */
	assert_true(good > ROUNDS / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_are_right),	cmocka_unit_test(bodies_are_skipped),
		cmocka_unit_test(sizes_have_limits),	cmocka_unit_test(paths_have_limits),
		cmocka_unit_test(anything_is_answered),
	};

	return cmocka_run_group_tests_name("request", tests, NULL, NULL);
}
