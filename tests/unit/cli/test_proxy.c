// SPDX-License-Identifier: GPL-2.0
/* Tests the offers and refusals of limpet proxy, with its own folder, links and terminal. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <cli/command/proxy/loop.h>
#include <limpet/error.h>

static struct serve proxy;
static char root[] = "/tmp/limpet-proxy-XXXXXX", text[4][256];
static int terminal; /* the other end of the serial port */

static void file_make(const char *name, const char *content)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, content, strlen(content)), strlen(content));
	close(fd);
}

static void offer(const char *format, const char *path)
{
	char error[256] = "";
	unsigned int number = proxy.offers;

	snprintf(text[number], sizeof(text[number]), format, path);
	if (!offer_make(&proxy.offer[number], text[number], error, sizeof(error)))
		fail_msg("%s", error);
	proxy.offers++;
}

/* in/ is offered; out and secret are next to it. */
static int setup(void **state)
{
	char path[256];

	(void)state;
	strcpy(root + sizeof(root) - 7, "XXXXXX");
	assert_non_null(mkdtemp(root));
	for (const char *const *name = (const char *const[]){ "in", "in/sub", "out", NULL }; *name;
	     name++) {
		snprintf(path, sizeof(path), "%s/%s", root, *name);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	file_make("in/hello", "hello, file");
	file_make("in/sub/deep", "deep");
	file_make("secret", "secret");
	file_make("one", "one");
	assert_int_equal(chdir(root), 0);
	assert_int_equal(symlink("../secret", "in/leak"), 0);
	assert_int_equal(symlink("../out", "in/away"), 0);
	assert_int_equal(symlink("/etc/passwd", "in/passwd"), 0);
	assert_int_equal(symlink("hello", "in/friend"), 0);
	assert_int_equal(symlink("loop", "in/loop"), 0);
	assert_int_equal(mkfifo("in/fifo", 0600), 0);
	terminal = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(terminal >= 0 && !grantpt(terminal) && !unlockpt(terminal));
	memset(&proxy, 0, sizeof(proxy));
	serve_begin(&proxy);
	snprintf(path, sizeof(path), "%s/in", root);
	offer("data=rw:%s", path);
	offer("view=r:%s", path);
	snprintf(path, sizeof(path), "%s/one", root);
	offer("one=rw:%s", path);
	offer("port=rw,9600:%s", ptsname(terminal));
	return 0;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	serve_drop(&proxy);
	for (unsigned int i = 0; i < proxy.offers; i++)
		offer_end(&proxy.offer[i]);
	close(terminal);
	assert_int_equal(chdir("/"), 0);
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

/*
 * Sends a request with the bytes after it. Returns its answer. The message has exactly its stated
 * size.
 */
static size_t ask(struct limpet_files_request r, const void *bytes, size_t more,
		  struct serve_answer *answer)
{
	size_t size = sizeof(r) + more, result;
	char *message = malloc(size);

	assert_non_null(message);
	r.id = 99;
	memcpy(message, &r, sizeof(r));
	if (more)
		memcpy(message + sizeof(r), bytes, more);
	result = serve_request(&proxy, message, size, 0, answer);
	free(message);
	if (result) {
		assert_int_equal(answer->head.id, 99);
		assert_int_equal(answer->head.what, r.what);
		assert_int_equal(answer->head.reserved, 0);
	}
	return result;
}

static int64_t open_as(const char *name, uint32_t how, uint32_t *handle)
{
	struct serve_answer answer;
	const struct limpet_files_request r = { .what = LIMPET_FILES_OPEN,
						.length = (uint32_t)strlen(name),
						.argument = how };

	assert_int_equal(ask(r, name, strlen(name), &answer), sizeof(answer.head));
	*handle = (uint32_t)answer.head.value;
	return answer.head.status;
}

static int64_t get(uint32_t handle, uint64_t position, uint32_t length, uint32_t wait, char *data)
{
	struct serve_answer answer;
	const struct limpet_files_request r = { .what = LIMPET_FILES_GET,
						.handle = handle,
						.position = position,
						.length = length,
						.argument = wait };
	size_t size = ask(r, NULL, 0, &answer);

	if (!size)
		return INT64_MIN;
	assert_int_equal(size,
			 sizeof(answer.head) + (answer.head.status > 0 ? answer.head.status : 0));
	if (answer.head.status > 0)
		memcpy(data, answer.data, (size_t)answer.head.status);
	return answer.head.status;
}

static int64_t put(uint32_t handle, uint64_t position, const void *bytes, uint32_t length)
{
	struct serve_answer answer;
	const struct limpet_files_request r = {
		.what = LIMPET_FILES_PUT, .handle = handle, .position = position, .length = length
	};

	assert_int_equal(ask(r, bytes, length, &answer), sizeof(answer.head));
	return answer.head.status;
}

static int64_t other(uint32_t what, uint32_t handle, uint64_t *value)
{
	struct serve_answer answer;
	const struct limpet_files_request r = { .what = what, .handle = handle };

	assert_int_equal(ask(r, NULL, 0, &answer), sizeof(answer.head));
	*value = answer.head.value;
	return answer.head.status;
}

#define RW (LIMPET_FILES_READ | LIMPET_FILES_WRITE)

static void test_read_and_write(void **state)
{
	char data[LIMPET_FILES_DATA];
	uint32_t handle;
	uint64_t size;

	(void)state;
	assert_int_equal(open_as("data/new", RW | LIMPET_FILES_CREATE, &handle), 0);
	assert_int_equal(put(handle, 3, "hello", 5), 5);
	assert_int_equal(other(LIMPET_FILES_SIZE, handle, &size), 0);
	assert_int_equal(size, 8);
	assert_int_equal(get(handle, 0, sizeof(data), 0, data), 8);
	assert_memory_equal(data, "\0\0\0hello", 8);
	assert_int_equal(get(handle, 8, sizeof(data), 5, data), 0);
	assert_int_equal(other(LIMPET_FILES_CLOSE, handle, &size), 0);
	assert_int_equal(other(LIMPET_FILES_CLOSE, handle, &size), LIMPET_ENOENT);
	assert_int_equal(get(handle, 0, 1, 0, data), LIMPET_ENOENT);
	assert_int_equal(open_as("data/new", LIMPET_FILES_WRITE | LIMPET_FILES_APPEND, &handle), 0);
	assert_int_equal(put(handle, 0, "!", 1), 1);
	assert_int_equal(other(LIMPET_FILES_SIZE, handle, &size), 0);
	assert_int_equal(size, 9);
	assert_int_equal(get(handle, 0, 1, 0, data), LIMPET_ERIGHTS);
	assert_int_equal(open_as("data/new", LIMPET_FILES_WRITE | LIMPET_FILES_TRUNCATE, &handle),
			 0);
	assert_int_equal(other(LIMPET_FILES_SIZE, handle, &size), 0);
	assert_int_equal(size, 0);
	assert_int_equal(open_as("view/sub/deep", LIMPET_FILES_READ, &handle), 0);
	assert_int_equal(get(handle, 0, 100, 0, data), 4);
	assert_int_equal(put(handle, 0, "x", 1), LIMPET_ERIGHTS);
	assert_int_equal(open_as("one", LIMPET_FILES_READ, &handle), 0);
	assert_int_equal(open_as("view/friend", LIMPET_FILES_READ, &handle), 0);
}

static void test_what_is_not_offered(void **state)
{
	static const struct {
		const char *name;
		uint32_t how;
		int status;
	} wrong[] = {
		{ "data/../secret", LIMPET_FILES_READ, LIMPET_ERANGE },
		{ "data/sub/../../secret", LIMPET_FILES_READ, LIMPET_ERANGE },
		{ "data/..", LIMPET_FILES_READ, LIMPET_ERANGE },
		{ "data/.", LIMPET_FILES_READ, LIMPET_ERANGE },
		{ "data//hello", LIMPET_FILES_READ, LIMPET_ERANGE },
		{ "data/", LIMPET_FILES_READ, LIMPET_ERANGE },
		{ "/data/hello", LIMPET_FILES_READ, LIMPET_ERANGE },
		{ "/etc/passwd", LIMPET_FILES_READ, LIMPET_ERANGE },
		{ "..", LIMPET_FILES_READ, LIMPET_ERANGE },
		{ "data", LIMPET_FILES_READ, LIMPET_ETYPE },
		{ "data/sub", LIMPET_FILES_READ, LIMPET_ETYPE },
		{ "data/sub", RW, LIMPET_ETYPE },
		{ "data/leak", LIMPET_FILES_READ, LIMPET_ERIGHTS },
		{ "data/leak", LIMPET_FILES_WRITE | LIMPET_FILES_TRUNCATE, LIMPET_ERIGHTS },
		{ "data/passwd", LIMPET_FILES_READ, LIMPET_ERIGHTS },
		{ "data/away/new", RW | LIMPET_FILES_CREATE, LIMPET_ERIGHTS },
		{ "data/loop", LIMPET_FILES_READ, LIMPET_ERIGHTS },
		{ "data/fifo", LIMPET_FILES_READ, LIMPET_ETYPE },
		{ "data/fifo", LIMPET_FILES_WRITE, LIMPET_ETYPE },
		{ "data/none", LIMPET_FILES_READ, LIMPET_ENOENT },
		{ "data/none", RW, LIMPET_ENOENT },
		{ "data/hello/x", LIMPET_FILES_READ, LIMPET_ETYPE },
		{ "dat/hello", LIMPET_FILES_READ, LIMPET_ENOENT },
		{ "dataa/hello", LIMPET_FILES_READ, LIMPET_ENOENT },
		{ "one/x", LIMPET_FILES_READ, LIMPET_ENOENT },
		{ "port/x", LIMPET_FILES_READ, LIMPET_ENOENT },
		{ "view/hello", LIMPET_FILES_WRITE, LIMPET_ERIGHTS },
		{ "view/hello", RW, LIMPET_ERIGHTS },
		{ "view/hello", LIMPET_FILES_READ | LIMPET_FILES_TRUNCATE, LIMPET_ERANGE },
		{ "view/hello", LIMPET_FILES_READ | LIMPET_FILES_CREATE, LIMPET_ERANGE },
		{ "data/hello", 0, LIMPET_ERANGE },
		{ "data/hello", LIMPET_FILES_READ | 32, LIMPET_ERANGE },
		{ "data/hello", ~0u, LIMPET_ERANGE },
	};
	char data[8], long_name[300];
	struct pollfd fifo = { .fd = open("in/fifo", O_RDONLY | O_NONBLOCK) };
	uint32_t handle;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (open_as(wrong[i].name, wrong[i].how, &handle) != wrong[i].status)
			fail_msg("%s: %u", wrong[i].name, wrong[i].how);
	for (unsigned int i = 0; i < SERVE_OPEN; i++)
		assert_int_equal(proxy.file[i].fd, -1);
	/* Other kinds of files are never opened, so no terminal hangs up. */
	assert_int_equal(poll(&fifo, 1, 0), 0);
	close(fifo.fd);
	/* Nothing outside was touched. */
	assert_int_equal(open("out/new", O_RDONLY), -1);
	assert_int_equal(read(open("secret", O_RDONLY), data, sizeof(data)), 6);
	memset(long_name, 'a', sizeof(long_name));
	memcpy(long_name, "data/", 5);
	long_name[LIMPET_FILES_NAME + 1] = 0;
	assert_int_equal(open_as(long_name, LIMPET_FILES_READ, &handle), LIMPET_ERANGE);
	long_name[LIMPET_FILES_NAME] = 0;
	assert_int_equal(open_as(long_name, LIMPET_FILES_READ, &handle), LIMPET_ENOENT);
}

static void test_names_with_zero_bytes(void **state)
{
	const struct limpet_files_request r = { .what = LIMPET_FILES_OPEN,
						.length = 12,
						.argument = LIMPET_FILES_READ };
	struct serve_answer answer;

	(void)state;
	assert_int_not_equal(ask(r, "data/hello\0x", 12, &answer), 0);
	assert_int_equal(answer.head.status, LIMPET_ERANGE);
}

static void test_bounds(void **state)
{
	char data[LIMPET_FILES_DATA];
	uint32_t handle;

	(void)state;
	assert_int_equal(open_as("data/hello", RW, &handle), 0);
	assert_int_equal(get(handle, 0, 0, 0, data), LIMPET_ERANGE);
	assert_int_equal(get(handle, 0, LIMPET_FILES_DATA + 1, 0, data), LIMPET_ERANGE);
	assert_int_equal(get(handle, 0, ~0u, 0, data), LIMPET_ERANGE);
	assert_int_equal(get(handle, 1ul << 63, 1, 0, data), LIMPET_ERANGE);
	assert_int_equal(get(handle, ~0ul, 1, 0, data), LIMPET_ERANGE);
	assert_int_equal(get(handle, INT64_MAX, 1, 0, data), LIMPET_ERANGE); /* an error of Linux */
	assert_int_equal(get(handle, 1ul << 40, 1, 0, data), 0);
	assert_int_equal(get(handle, 0, 1, LIMPET_FILES_WAIT + 1, data), LIMPET_ERANGE);
	assert_int_equal(put(handle, 1ul << 63, "x", 1), LIMPET_ERANGE);
	assert_int_equal(put(handle, 0, "", 0), LIMPET_ERANGE);
	for (uint32_t bit = 0; bit < 32; bit++)
		assert_int_equal(get(handle ^ 1u << bit, 0, 1, 0, data), LIMPET_ENOENT);
}

static void test_as_many_as_there_is_space_for(void **state)
{
	uint32_t handle[SERVE_OPEN], more;
	uint64_t value;

	(void)state;
	for (unsigned int i = 0; i < SERVE_OPEN; i++)
		assert_int_equal(open_as("data/hello", LIMPET_FILES_READ, &handle[i]), 0);
	assert_int_equal(open_as("data/hello", LIMPET_FILES_READ, &more), LIMPET_EFULL);
	assert_int_equal(other(LIMPET_FILES_CLOSE, handle[7], &value), 0);
	assert_int_equal(open_as("data/hello", LIMPET_FILES_READ, &more), 0);
	assert_int_not_equal(more, handle[7]);
	assert_int_equal(other(LIMPET_FILES_SIZE, handle[7], &value), LIMPET_ENOENT);
	serve_drop(&proxy);
	assert_int_equal(other(LIMPET_FILES_SIZE, more, &value), LIMPET_ENOENT);
}

static void test_no_requests(void **state)
{
	struct limpet_files_request r = { .what = LIMPET_FILES_PUT, .length = 100 };
	struct serve_answer answer;
	char bytes[200] = { 0 };

	(void)state;
	for (size_t size = 0; size < sizeof(r); size++)
		assert_int_equal(serve_request(&proxy, bytes, size, 0, &answer), 0);
	assert_int_equal(ask(r, bytes, 99, &answer), 0);
	assert_int_equal(ask(r, bytes, 101, &answer), 0);
	r.length = ~0u;
	assert_int_equal(ask(r, bytes, 200, &answer), 0);
	r = (struct limpet_files_request){ .what = LIMPET_FILES_GET, .length = 10 };
	assert_int_equal(ask(r, bytes, 10, &answer), 0);
	for (uint32_t what = 6; what; what <<= 1) {
		r = (struct limpet_files_request){ .what = what };
		assert_int_equal(ask(r, NULL, 0, &answer), 0);
	}
	r.what = 0;
	assert_int_equal(ask(r, NULL, 0, &answer), 0);
}

static atomic_bool swapping;

/* A folder in the offered one, and a link that leads out of it, are exchanged repeatedly. */
static void *swap(void *state)
{
	(void)state;
	while (swapping)
		if (syscall(SYS_renameat2, AT_FDCWD, "in/sub", AT_FDCWD, "in/away",
			    RENAME_EXCHANGE))
			return (void *)(intptr_t)errno;
	return NULL;
}

/* For each timing of the swap, an opened file is from the folder, or the open is refused. */
static void test_swapped_for_a_link(void **state)
{
	unsigned int good = 0, refused = 0;
	time_t end = time(NULL) + 20;
	char data[16];
	pthread_t thread;
	uint32_t handle;
	uint64_t value;
	void *result;

	(void)state;
	file_make("out/deep", "outside");
	swapping = true;
	assert_int_equal(pthread_create(&thread, NULL, swap, NULL), 0);
	while (good < 2000 || refused < 2000) {
		int64_t status = open_as("data/sub/deep", LIMPET_FILES_READ, &handle);

		assert_true(time(NULL) < end);
		if (!status) {
			assert_int_equal(get(handle, 0, sizeof(data), 0, data), 4);
			assert_memory_equal(data, "deep", 4);
			assert_int_equal(other(LIMPET_FILES_CLOSE, handle, &value), 0);
			good++;
		} else {
			assert_int_equal(status, LIMPET_ERIGHTS);
			refused++;
		}
		status = open_as("data/sub/made", RW | LIMPET_FILES_CREATE, &handle);
		if (!status)
			assert_int_equal(other(LIMPET_FILES_CLOSE, handle, &value), 0);
		else
			assert_int_equal(status, LIMPET_ERIGHTS);
	}
	swapping = false;
	pthread_join(thread, &result);
	assert_int_equal((intptr_t)result, 0);
	assert_int_equal(access("out/made", F_OK), -1);
}

/* The offered folder is the one that existed at the offer, even after its name points to a different folder. */
static void test_offered_folder_swapped(void **state)
{
	char data[16];
	uint32_t handle;

	(void)state;
	file_make("out/hello", "outside");
	assert_int_equal(rename("in", "moved"), 0);
	assert_int_equal(symlink("out", "in"), 0);
	assert_int_equal(open_as("data/hello", LIMPET_FILES_READ, &handle), 0);
	assert_int_equal(get(handle, 0, sizeof(data), 0, data), 11);
	assert_memory_equal(data, "hello, file", 11);
	assert_int_equal(open_as("data/made", RW | LIMPET_FILES_CREATE, &handle), 0);
	assert_int_equal(access("out/made", F_OK), -1);
	assert_int_equal(access("moved/made", F_OK), 0);
}

/* Random requests do not open files outside the folder or access memory out of bounds. */
static void test_any_requests(void **state)
{
	static const char *const names[] = { "data/hello", "data/../secret", "port", "data/leak",
					     "view/x" };
	struct serve_answer answer;

	(void)state;
	srand(24);
	for (unsigned int round = 0; round < 100000; round++) {
		const char *name = names[rand() % 5];
		struct limpet_files_request r = {
			.what = (uint32_t)rand() % 7,
			.handle = (uint32_t)rand() % 3 ? (uint32_t)rand() % 1024 : (uint32_t)rand(),
			.position = (uint64_t)rand() << (rand() % 34),
			.length = rand() % 2 ? (uint32_t)strlen(name) : (uint32_t)rand() % 8192,
			.argument = (uint32_t)rand() % 40 == 0 ? (uint32_t)rand()
							       : (uint32_t)rand() % 32,
		};
		size_t size = ask(r, name, strlen(name), &answer);

		assert_in_range(size, 0, sizeof(answer));
		serve_waiting(&proxy, round, &answer);
	}
	for (unsigned int i = 0; i < SERVE_OPEN; i++) {
		char path[64], where[256] = "";

		if (proxy.file[i].fd < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", proxy.file[i].fd);
		assert_true(readlink(path, where, sizeof(where) - 1) > 0);
		assert_true(strstr(where, "/in/") || !strcmp(where, ptsname(terminal)));
	}
}

static void test_serial_port(void **state)
{
	struct serve_answer answer;
	char data[64];
	uint32_t handle;
	uint64_t size;

	(void)state;
	assert_int_equal(open_as("port", RW, &handle), 0);
	assert_int_equal(other(LIMPET_FILES_SIZE, handle, &size), 0);
	assert_int_equal(size, 0);
	assert_int_equal(get(handle, 0, 64, 0, data), 0);
	assert_int_equal(put(handle, 0, "a\nb\n", 4), 4); /* raw mode: no \r arrives */
	assert_int_equal(read(terminal, data, sizeof(data)), 4);
	assert_memory_equal(data, "a\nb\n", 4);
	/* A read waits until its time has passed. */
	assert_int_equal(get(handle, 0, 64, 100, data), INT64_MIN);
	assert_int_equal(serve_deadline(&proxy), 100);
	assert_int_equal(serve_waiting(&proxy, 99, &answer), 0);
	assert_int_equal(serve_waiting(&proxy, 100, &answer), sizeof(answer.head));
	assert_int_equal(answer.head.status, 0);
	assert_int_equal(serve_deadline(&proxy), INT64_MAX);
	/* A read waits and receives data. */
	assert_int_equal(get(handle, 0, 3, 100, data), INT64_MIN);
	assert_true(serve_wait_fd(&proxy, 0) >= 0);
	assert_int_equal(write(terminal, "wxyz", 4), 4);
	assert_int_equal(serve_waiting(&proxy, 1, &answer), sizeof(answer.head) + 3);
	assert_memory_equal(answer.data, "wxy", 3);
	assert_int_equal(serve_wait_fd(&proxy, 0), -1);
	assert_int_equal(get(handle, 0, 3, 0, data), 1);
	/* The maximum number of reads wait. Some files are closed meanwhile. */
	for (unsigned int i = 0; i < SERVE_WAITING; i++)
		assert_int_equal(get(handle, 0, 3, 100, data), INT64_MIN);
	assert_int_equal(get(handle, 0, 3, 100, data), LIMPET_EBUSY);
	assert_int_equal(other(LIMPET_FILES_CLOSE, handle, &size), 0);
	for (unsigned int i = 0; i < SERVE_WAITING; i++) {
		assert_int_equal(serve_wait_fd(&proxy, i), -1);
		assert_int_equal(serve_waiting(&proxy, 1, &answer), sizeof(answer.head));
		assert_int_equal(answer.head.status, LIMPET_ENOENT);
	}
}

static void test_offers(void **state)
{
	static const char *const wrong[] = {
		"",
		"data",
		"data=rw",
		"data=:/tmp",
		"=rw:/tmp",
		"data=x:/tmp",
		"data=rwx:/",
		"a/b=rw:/tmp",
		".a=rw:/tmp",
		"a=rw:",
		"A=r:/tmp",
		"a=r,77:/tmp",
		"a=r,:/tmp",
		"a=r:/nowhere",
		"a=r:/dev/null",
		"a=rw:/dev/zero",
		"abcdefghijklmnopqrstuvwxy=r:/tmp",
	};
	struct offer made;
	char error[256];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		*error = 0;
		if (offer_make(&made, wrong[i], error, sizeof(error)))
			fail_msg("%s", wrong[i]);
		assert_non_null(strstr(error, ": "));
	}
	assert_true(offer_make(&made, "a=w:/tmp/limpet-not-there-yet", error, sizeof(error)));
	assert_int_equal(made.kind, OFFER_FILE);
	offer_end(&made);
}

/* --- the loop, on a socket in place of the node */

static int ends[2];

static void *serve_thread(void *state)
{
	(void)state;
	return (void *)(intptr_t)loop_serve(&proxy, ends[1]);
}

static void test_loop(void **state)
{
	struct limpet_files_request r = { .what = LIMPET_FILES_OPEN, .id = 1 };
	struct serve_answer answer;
	char message[64];
	pthread_t thread;
	void *result;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(write(ends[0], &r, sizeof(r)),
			 sizeof(r)); /* from an earlier component: not answered */
	assert_int_equal(pthread_create(&thread, NULL, serve_thread, NULL), 0);
	assert_int_equal(read(ends[0], &answer, sizeof(answer)), sizeof(answer.head));
	assert_int_equal(answer.head.what, LIMPET_FILES_BEGIN);
	assert_int_equal(answer.head.id, 0);
	r = (struct limpet_files_request){
		.what = LIMPET_FILES_OPEN, .id = 7, .length = 4, .argument = RW
	};
	memcpy(message, &r, sizeof(r));
	memcpy(message + sizeof(r), "port", 4);
	assert_int_equal(write(ends[0], message, sizeof(r) + 4), sizeof(r) + 4);
	assert_int_equal(read(ends[0], &answer, sizeof(answer)), sizeof(answer.head));
	assert_int_equal(answer.head.status, 0);
	r = (struct limpet_files_request){ .what = LIMPET_FILES_GET,
					   .id = 8,
					   .handle = (uint32_t)answer.head.value,
					   .length = 10,
					   .argument = 10000 };
	assert_int_equal(write(ends[0], &r, sizeof(r)), sizeof(r));
	r.id = 9; /* this read times out first */
	r.argument = 30;
	assert_int_equal(write(ends[0], &r, sizeof(r)), sizeof(r));
	assert_int_equal(read(ends[0], &answer, sizeof(answer)), sizeof(answer.head));
	assert_int_equal(answer.head.id, 9);
	assert_int_equal(answer.head.status, 0);
	assert_int_equal(write(terminal, "ab", 2), 2);
	assert_int_equal(read(ends[0], &answer, sizeof(answer)), sizeof(answer.head) + 2);
	assert_int_equal(answer.head.id, 8);
	close(ends[0]);
	pthread_join(thread, &result);
	assert_int_equal((intptr_t)result, 0);
	for (unsigned int i = 0; i < SERVE_OPEN; i++)
		assert_int_equal(proxy.file[i].fd, -1);
	close(ends[1]);
}

/* The component ends before it has sent anything. An earlier error does not matter. */
static void test_loop_without_component(void **state)
{
	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	close(ends[0]);
	errno = ENOENT;
	assert_int_equal(loop_serve(&proxy, ends[1]), 0);
	close(ends[1]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_read_and_write),
		TEST(test_what_is_not_offered),
		TEST(test_names_with_zero_bytes),
		TEST(test_bounds),
		TEST(test_as_many_as_there_is_space_for),
		TEST(test_no_requests),
		TEST(test_swapped_for_a_link),
		TEST(test_offered_folder_swapped),
		TEST(test_any_requests),
		TEST(test_serial_port),
		TEST(test_offers),
		TEST(test_loop),
		TEST(test_loop_without_component),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
