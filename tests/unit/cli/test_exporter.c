// SPDX-License-Identifier: GPL-2.0
/* Tests the exporter's HTTP server, which runs in a separate process, and the exporter's file. */
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cli/command/exporter/answer.h>
#include <cli/command/exporter/http.h>
#include <cli/command/exporter/textfile.h>

#define PAGE_SIZE (1 << 20) /* more than the buffer of a socket */

static struct sockaddr_in server_at;
static pid_t server;

static char *page(size_t *size)
{
	char *text = malloc(PAGE_SIZE);

	assert_non_null(text);
	memset(text, 'x', PAGE_SIZE);
	*size = PAGE_SIZE;
	return text;
}

static const struct answer_page pages[] = {
	{ "/metrics", "text/plain; version=0.0.4; charset=utf-8", page },
	{ "/", "text/html", page },
	{ NULL },
};

static int server_begin(void **state)
{
	static struct http http;
	socklen_t length = sizeof(server_at);

	(void)state;
	assert_int_equal(http_listen(&http, "127.0.0.1:0", pages), 0);
	assert_int_equal(getsockname(http.listener, (void *)&server_at, &length), 0);
	server = fork();
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (!http_step(&http, -1))
			;
		_exit(1);
	}
	http_close(&http);
	return server < 0;
}

/* Checks that the server still runs, and stops it. */
static int server_end(void **state)
{
	int status;

	(void)state;
	assert_int_equal(waitpid(server, &status, WNOHANG), 0);
	kill(server, SIGKILL);
	waitpid(server, &status, 0);
	return 0;
}

static int client(void)
{
	const struct timeval max = { .tv_sec = 30 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &max, sizeof(max));
	assert_int_equal(connect(fd, (void *)&server_at, sizeof(server_at)), 0);
	return fd;
}

static void say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Returns everything up to the end of the connection. The caller frees it. */
static char *heard(int fd, size_t *size)
{
	char *text = malloc(PAGE_SIZE + 4096);
	ssize_t got;

	*size = 0;
	while ((got = recv(fd, text + *size, PAGE_SIZE + 4095 - *size, 0)) > 0)
		*size += (size_t)got;
	assert_int_equal(got, 0);
	text[*size] = 0;
	close(fd);
	return text;
}

static void assert_answer(const char *request, const char *begin)
{
	int fd = client();
	size_t size;
	char *text;

	say(fd, request);
	text = heard(fd, &size);
	if (strncmp(text, begin, strlen(begin)) != 0)
		fail_msg("'%s' is answered by '%.80s'", request, text);
	free(text);
}

static void test_metrics(void **state)
{
	int fd = client();
	size_t size;
	char *text, *body;

	(void)state;
	say(fd, "GET /metrics?x=y HTTP/1.1\r\nHo");
	say(fd, "st: here\r\n\r\n");
	text = heard(fd, &size);
	assert_int_equal(strncmp(text, "HTTP/1.1 200 OK\r\n", 17), 0);
	assert_non_null(
		strstr(text, "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
	assert_non_null(strstr(text, "\r\nContent-Length: 1048576\r\n"));
	body = strstr(text, "\r\n\r\n") + 4;
	assert_int_equal(size - (size_t)(body - text), PAGE_SIZE);
	free(text);
	fd = client();
	say(fd, "HEAD /metrics HTTP/1.0\r\n\r\n");
	text = heard(fd, &size);
	assert_non_null(strstr(text, "\r\nContent-Length: 1048576\r\n"));
	assert_string_equal(text + size - 4, "\r\n\r\n");
	free(text);
	fd = client();
	say(fd, "HEAD /metric HTTP/1.1\r\n\r\n");
	text = heard(fd, &size);
	assert_int_equal(strncmp(text, "HTTP/1.1 404 ", 13), 0);
	assert_string_equal(text + size - 4, "\r\n\r\n");
	free(text);
}

static void test_answers(void **state)
{
	char line[HTTP_REQUEST + 1];

	(void)state;
	assert_answer("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 ");
	assert_answer("GET /metric HTTP/1.1\r\n\r\n", "HTTP/1.1 404 ");
	assert_answer("GET /metricsx HTTP/1.1\r\n\r\n", "HTTP/1.1 404 ");
	assert_answer("POST /metrics HTTP/1.1\r\n\r\nbody", "HTTP/1.1 405 ");
	assert_answer("GET /metrics\r\n\r\n", "HTTP/1.1 400 ");
	assert_answer("\r\n\r\n", "HTTP/1.1 400 ");
	assert_answer("GET /\r\nX HTTP/1.1\r\n\r\n", "HTTP/1.1 400 ");
	memset(line, 'a', sizeof(line) - 1);
	line[sizeof(line) - 1] = 0;
	assert_answer(line, "HTTP/1.1 431 ");
}

/*
 * More clients than the server has space for. They send nothing, send a part, or do not read the
 * answer.
 */
static void test_slow(void **state)
{
	int slow[3 * HTTP_CONNECTIONS];

	(void)state;
	for (size_t i = 0; i < sizeof(slow) / sizeof(*slow); i++) {
		slow[i] = client();
		if (i % 3)
			say(slow[i], i % 3 == 1 ? "GET /metr" : "GET /metrics HTTP/1.1\r\n\r\n");
		assert_answer("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 ");
	}
	for (size_t i = 0; i < sizeof(slow) / sizeof(*slow); i++)
		close(slow[i]);
}

static void test_time_out(void **state)
{
	int fd = client();
	time_t start = time(NULL);
	char c;

	(void)state;
	say(fd, "GET ");
	assert_int_equal(recv(fd, &c, 1, 0), 0);
	assert_true(time(NULL) - start >= HTTP_SECONDS - 1);
	close(fd);
}

/* The server answers or closes each connection with a random request. */
static void test_chance(void **state)
{
	static const char words[] = "GETHEADmetrics/ 1.\r\n:?\0x";
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 300; round++) {
		char request[64];
		size_t size;
		int fd = client();

		for (size_t i = 0; i < sizeof(request); i++)
			request[i] = words[test_random(&seed) % sizeof(words)];
		send(fd, "GET /metrics HTTP/1.1\r\n", test_random(&seed) % 24, MSG_NOSIGNAL);
		send(fd, request, sizeof(request), MSG_NOSIGNAL);
		send(fd, "\r\n\r\n", 4, MSG_NOSIGNAL);
		shutdown(fd, SHUT_WR);
		free(heard(fd, &size));
	}
}

static void test_addresses(void **state)
{
	static const char *const wrong[] = { "",	  "9740",	"localhost:1",
					     "127.0.0.1", "127.0.0.1:", "::1:80",
					     "[::1]",	  "[::1:80",	"1.2.3.4:http",
					     "1.2.3:99:1" };
	static const char *const right[] = { ":0", "127.0.0.1:0", "0.0.0.0:0" };
	struct http http;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (http_listen(&http, wrong[i], pages) != -EINVAL)
			fail_msg("%s is taken for an address", wrong[i]);
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
		assert_int_equal(http_listen(&http, right[i], pages), 0);
		http_close(&http);
	}
	assert_int_equal(http_listen(&http, "192.0.2.1:0", pages), -EADDRNOTAVAIL);
}

/* Returns whether this machine has IPv6 addresses. */
static bool has_six(void)
{
	struct http http;
	bool has = !http_listen(&http, "[::1]:0", pages);

	http_close(&http);
	return has;
}

static void address_is(const char *where, const char *form)
{
	struct sockaddr_in6 at;
	socklen_t length = sizeof(at);
	char text[HTTP_ADDRESS], expected[HTTP_ADDRESS];
	struct http http;
	int port;

	assert_int_equal(http_listen(&http, where, pages), 0);
	assert_int_equal(getsockname(http.listener, (void *)&at, &length), 0);
	port = ntohs(at.sin6_port); /* at the same place in IPv4's structure */
	assert_true(port > 0);
	snprintf(expected, sizeof(expected), form, port);
	assert_int_equal(http_address(&http, text, sizeof(text)), port);
	assert_string_equal(text, expected);
	http_close(&http);
}

/* The port is the one that Linux has chosen. */
static void test_address_text(void **state)
{
	struct http closed = { .listener = -1 };
	char text[HTTP_ADDRESS];

	(void)state;
	address_is("127.0.0.1:0", "127.0.0.1:%d");
	address_is("0.0.0.0:0", "all addresses, port %d");
	address_is(":0", "all addresses, port %d");
	if (has_six())
		address_is("[::1]:0", "[::1]:%d");
	assert_int_equal(http_address(&closed, text, sizeof(text)), -EBADF);
}

static bool reaches(const struct http *http, int family, const char *address)
{
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct sockaddr_in6 at;
	socklen_t length = sizeof(at);
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool reached;

	getsockname(http->listener, (void *)&at, &length);
	four.sin_port = six.sin6_port = at.sin6_port; /* at the same place in both */
	inet_pton(family, address, family == AF_INET ? (void *)&four.sin_addr : &six.sin6_addr);
	reached = !(family == AF_INET ? connect(fd, (void *)&four, sizeof(four))
				      : connect(fd, (void *)&six, sizeof(six)));
	close(fd);
	return reached;
}

static void test_all_addresses(void **state)
{
	struct http http;

	(void)state;
	assert_int_equal(http_listen(&http, ":0", pages), 0);
	assert_true(reaches(&http, AF_INET, "127.0.0.1"));
	assert_int_equal(reaches(&http, AF_INET6, "::1"), has_six());
	http_close(&http);
}

static void test_textfile(void **state)
{
	char folder[] = "/tmp/limpet-test-XXXXXX", path[80], other[90], text[16] = "";
	struct stat stat_of;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/limpet.prom", folder);
	snprintf(other, sizeof(other), "%s.new", path);
	assert_int_equal(textfile_write(path, "old\n", 4), 0);
	/* An existing link at the place of the new file is not followed. */
	assert_int_equal(symlink("victim", other), 0);
	file = fopen(path, "r");
	assert_int_equal(textfile_write(path, "new 1\n", 6), 0);
	assert_non_null(fgets(text, sizeof(text), file));
	assert_string_equal(text, "old\n"); /* an open old file stays readable */
	fclose(file);
	file = fopen(path, "r");
	assert_non_null(fgets(text, sizeof(text), file));
	assert_string_equal(text, "new 1\n");
	fclose(file);
	assert_int_equal(stat(path, &stat_of), 0);
	assert_int_equal(stat_of.st_mode & 0777, 0644);
	assert_int_equal(access(other, F_OK), -1);
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(textfile_write(path, "x", 1) < 0);
	assert_int_equal(access(other, F_OK), -1);
	rmdir(path);
	rmdir(folder);
	assert_int_equal(textfile_write(path, "x", 1), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_metrics, server_begin, server_end),
		cmocka_unit_test_setup_teardown(test_answers, server_begin, server_end),
		cmocka_unit_test_setup_teardown(test_slow, server_begin, server_end),
		cmocka_unit_test_setup_teardown(test_time_out, server_begin, server_end),
		cmocka_unit_test_setup_teardown(test_chance, server_begin, server_end),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_all_addresses),
		cmocka_unit_test(test_address_text),
		cmocka_unit_test(test_textfile),
	};

	return cmocka_run_group_tests_name("exporter", tests, NULL, NULL);
}
