// SPDX-License-Identifier: GPL-2.0
/* The message to systemd arrives at a socket with a path and at an abstract one. */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cli/common/notify.h>

/* Sends READY=1 to the socket `name`, bound to `length` bytes at `path`, and returns what arrived. */
static const char *sent_to(const char *name, const char *path, size_t length)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	static char text[64];
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	ssize_t got;

	memcpy(address.sun_path, path, length);
	assert_int_equal(bind(fd, (struct sockaddr *)&address,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)),
			 0);
	setenv("NOTIFY_SOCKET", name, 1);
	notify_systemd("READY=1");
	got = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);
	assert_true(got > 0);
	text[got] = 0;
	close(fd);
	return text;
}

static void test_path(void **state)
{
	char folder[] = "/tmp/limpet-notify-XXXXXX";
	char path[64];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/socket", folder);
	assert_string_equal(sent_to(path, path, strlen(path)), "READY=1");
	unlink(path);
	rmdir(folder);
}

static void test_abstract(void **state)
{
	char name[64];
	char address[64];

	(void)state;
	snprintf(name, sizeof(name), "@limpet-notify-%d", getpid());
	memcpy(address, name, sizeof(address));
	*address = 0;
	assert_string_equal(sent_to(name, address, strlen(name)), "READY=1");
}

/* A missing or unusable address is not an error. */
static void test_no_listener(void **state)
{
	char path[300];

	(void)state;
	unsetenv("NOTIFY_SOCKET");
	notify_systemd("READY=1");
	setenv("NOTIFY_SOCKET", "", 1);
	notify_systemd("READY=1");
	setenv("NOTIFY_SOCKET", "/nonexistent/socket", 1);
	notify_systemd("READY=1");
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[sizeof(path) - 1] = 0;
	setenv("NOTIFY_SOCKET", path, 1);
	notify_systemd("READY=1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_path),
		cmocka_unit_test(test_abstract),
		cmocka_unit_test(test_no_listener),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
