// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests component files: the permissions for opening files, and its behaviour with a proxy that is
 * correct, late, wrong or restarted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <export/files.h>
#include <import/mem.h>
#include <import/sched.h>
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include "../sched_objects.h"
#include "files.h"

#define RING 16384u
#define MEMORY (LIMPET_CHANNEL_PAGE + 2 * RING)
#define OWN 2u /* ids of threads: the component's own thread, and callers */
#define CALLER 3u
#define TICKS 1000000u
#define ALICE 5u /* indices of components; badges are one more */
#define BOB 6u
#define MALLORY 7u

extern struct limpet_info files_info asm("__limpet_info");
struct limpet_info files_info;
static const struct limpet_info_thread threads[] = {
	[10] = { .component = ALICE },
	[11] = { .component = BOB },
};

static struct limpet_info_channel channel_info;
static struct limpet_channel channel;
static struct limpet_end linux_end;
static char *memory;
static uint64_t now;
static unsigned int self, stops, printed;
static char shared[2][PAGES_MAX * LIMPET_PAGE] __attribute__((aligned(4096)));
static unsigned int allocated;
static long mem_status;

/* --- functions that the component calls */

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	(void)in;
	*out = (struct limpet_out){ op == LIMPET_CALL(LIMPET_CALL_CHANNEL_STATE) ? stops : 0, 0,
				    0 };
	return LIMPET_OK;
}

unsigned int limpet_thread_id(void)
{
	return self;
}

uint64_t limpet_time(void)
{
	return now;
}

void limpet_print(const char *format, ...)
{
	(void)format;
	printed++;
}

long mem_allocate(word pages, word *address)
{
	assert_in_range(pages, 1, PAGES_MAX);
	if (mem_status)
		return mem_status;
	*address = (word)shared[allocated++];
	return LIMPET_OK;
}

long mem_grant(word address, word component, word rights)
{
	(void)address;
	assert_in_range(component, ALICE, BOB);
	assert_int_equal(rights, LIMPET_READ | LIMPET_WRITE);
	return LIMPET_OK;
}

long sched_resume(word thread)
{
	return (long)thread;
}

long sched_resume_best(word threads, word first)
{
	return (long)first + __builtin_ctzl(threads);
}

long sched_priority(word thread, word priority)
{
	(void)thread;
	return (long)priority;
}

static void own_turn(void)
{
	self = OWN;
	assert_int_equal(mutex_lock(&files.lock, LIMPET_NEVER), LIMPET_OK);
	files_turn(&channel);
	assert_int_equal(mutex_unlock(&files.lock), LIMPET_OK);
	self = CALLER;
}

static void (*proxy)(void); /* action of Linux while a call waits; NULL: nothing */

/* While the caller waits, the component's own thread runs, then Linux, then the own thread again. */
long sched_suspend_for(word owner, word deadline)
{
	assert_int_equal(owner, 0);
	own_turn();
	if (proxy)
		proxy();
	own_turn();
	if (proxy)
		return LIMPET_OK;
	now = deadline;
	return LIMPET_ETIME;
}

/* --- the other end */

static struct limpet_files_request asked; /* the last request, and the bytes after it */
static char asked_bytes[LIMPET_FILES_DATA + 1];
static unsigned int asked_count;
static struct limpet_files_answer answer; /* template of the next answers */
static char answer_bytes[2 * LIMPET_FILES_DATA];
static size_t answer_more;

static bool take(void)
{
	uint64_t length;
	const char *at = limpet_end_connected(&linux_end) ? limpet_end_peek(&linux_end, &length)
							  : NULL;

	if (!at)
		return false;
	assert_in_range(length, sizeof(asked), sizeof(asked) + LIMPET_FILES_DATA);
	memcpy(&asked, at, sizeof(asked));
	memset(asked_bytes, 0, sizeof(asked_bytes));
	memcpy(asked_bytes, at + sizeof(asked), length - sizeof(asked));
	limpet_end_release(&linux_end);
	asked_count++;
	return true;
}

static void say(const struct limpet_files_answer *what, const char *bytes, size_t more)
{
	char *space = limpet_end_connected(&linux_end)
			      ? limpet_end_reserve(&linux_end, sizeof(*what) + more)
			      : NULL;

	assert_non_null(space);
	memcpy(space, what, sizeof(*what));
	memcpy(space + sizeof(*what), bytes, more);
	limpet_end_commit(&linux_end, sizeof(*what) + more);
}

/* Answers with the data that the test has prepared. */
static void honest(void)
{
	while (take()) {
		answer.id = asked.id;
		answer.what = asked.what;
		say(&answer, answer_bytes, asked.what == LIMPET_FILES_GET ? answer_more : 0);
	}
}

static void linux_begin(uint32_t generation)
{
	struct limpet_channel_header *header = (void *)memory;
	char *rings = memory + LIMPET_CHANNEL_PAGE;

	linux_end = (struct limpet_end){ .self = &header->host,
					 .peer = &header->component,
					 .out = rings + RING,
					 .in = rings,
					 .out_size = RING,
					 .in_size = RING };
	limpet_end_begin(&linux_end, generation);
	linux_end.self->opened = 1;
	limpet_end_connected(&linux_end);
	own_turn();
	limpet_end_connected(&linux_end);
	own_turn();
}

static void arg(const char *name, const char *text)
{
	struct limpet_info_arg *a = &files_info.arg[files_info.args++];

	strcpy(a->name, name);
	strcpy(a->text, text);
}

static int setup(void **state)
{
	(void)state;
	memory = aligned_alloc(LIMPET_CHANNEL_PAGE, MEMORY);
	if (!memory)
		return 1;
	memset(memory, 0, MEMORY);
	memset(&files_info, 0, sizeof(files_info));
	files_info.ticks_per_ms = TICKS;
	files_info.threads = 12;
	files_info.thread_of = threads;
	channel_info = (struct limpet_info_channel){ "files", LIMPET_CHANNEL_MESSAGES, RING, RING,
						     32,      (uint64_t)memory,	       0,    0,
						     0 };
	files_info.channels = 1;
	files_info.channel_info = (uint64_t)&channel_info;
	arg("offer-0", "10 data rw");
	arg("offer-1", "10 log w");
	arg("offer-2", "11 data r");
	memset(&answer, 0, sizeof(answer));
	answer_more = 0;
	asked_count = 0;
	mem_status = 0;
	proxy = honest;
	self = CALLER;
	assert_int_equal(component_init(&files_info), LIMPET_OK);
	assert_int_equal(channel_open_index(&channel, 0), LIMPET_OK);
	linux_begin(1 + (uint32_t)rand() % 1000);
	requests_renew();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	own_turn();
	own_turn();
	honest();
	own_turn();
	free(memory);
	return 0;
}

static word share(word badge)
{
	struct files_share_results out = { 0 };

	assert_int_equal(files_serve_share(badge, 2, &out), LIMPET_OK);
	return out.address;
}

static long open_as(word badge, const char *name, word how, word *handle)
{
	struct files_open_results out = { 0 };
	word at = share(badge);
	long status;

	memcpy((void *)at, name, strlen(name));
	status = files_serve_open(badge, at, strlen(name), how, &out);
	*handle = out.handle;
	return status;
}

#define RW (LIMPET_FILES_READ | LIMPET_FILES_WRITE)

/* --- tests */

static void test_calls(void **state)
{
	struct files_size_results size = { 0 };
	word handle, at = share(ALICE + 1);
	char *bytes = (char *)at;

	(void)state;
	answer.value = 0x12345678;
	assert_int_equal(open_as(ALICE + 1, "data/a/b", RW | LIMPET_FILES_CREATE, &handle), 0);
	assert_int_equal(asked.what, LIMPET_FILES_OPEN);
	assert_int_equal(asked.length, 8);
	assert_int_equal(asked.argument, RW | LIMPET_FILES_CREATE);
	assert_string_equal(asked_bytes, "data/a/b");
	strcpy(bytes + 100, "some data");
	answer.status = 9;
	answer.value = 0;
	assert_int_equal(files_serve_write(ALICE + 1, handle, 77, at + 100, 9), 9);
	assert_int_equal(asked.handle, 0x12345678);
	assert_int_equal(asked.position, 77);
	assert_string_equal(asked_bytes, "some data");
	memcpy(answer_bytes, "read this", 9);
	answer_more = 9;
	assert_int_equal(files_serve_read(ALICE + 1, handle, 5, at + 4096, 100, 3), 9);
	assert_int_equal(asked.length, 100);
	assert_int_equal(asked.argument, 3);
	assert_memory_equal(bytes + 4096, "read this", 9);
	/* Data that does not fit into a message is truncated. */
	assert_int_equal(files_serve_read(ALICE + 1, handle, 5, at, 8192, 0), 9);
	assert_int_equal(asked.length, LIMPET_FILES_DATA);
	answer = (struct limpet_files_answer){ .value = 1234 };
	assert_int_equal(files_serve_size(ALICE + 1, handle, &size), 0);
	assert_int_equal(size.bytes, 1234);
	assert_int_equal(files_serve_close(ALICE + 1, handle), 0);
	own_turn();
	assert_true(take());
	assert_int_equal(asked.what, LIMPET_FILES_CLOSE);
	assert_int_equal(asked.handle, 0x12345678);
	assert_int_equal(files_serve_close(ALICE + 1, handle), LIMPET_ENOENT);
}

static void test_who_may_open_what(void **state)
{
	static const struct {
		word badge;
		const char *name;
		word how;
		long status;
	} tries[] = {
		{ ALICE + 1, "data", RW, 0 },
		{ ALICE + 1, "log", LIMPET_FILES_WRITE, 0 },
		{ ALICE + 1, "log", LIMPET_FILES_READ, LIMPET_ERIGHTS },
		{ ALICE + 1, "log", RW, LIMPET_ERIGHTS },
		{ BOB + 1, "data/x", LIMPET_FILES_READ, 0 },
		{ BOB + 1, "data/x", LIMPET_FILES_WRITE, LIMPET_ERIGHTS },
		{ BOB + 1, "data/x", RW, LIMPET_ERIGHTS },
		{ BOB + 1, "log", LIMPET_FILES_WRITE, LIMPET_ERIGHTS },
		{ ALICE + 1, "dat", RW, LIMPET_ERIGHTS },
		{ ALICE + 1, "data2", RW, LIMPET_ERIGHTS },
		{ ALICE + 1, "other", RW, LIMPET_ERIGHTS },
		{ ALICE + 1, "data/../x", RW, LIMPET_ERANGE },
		{ ALICE + 1, "data/..", RW, LIMPET_ERANGE },
		{ ALICE + 1, "data/./x", RW, LIMPET_ERANGE },
		{ ALICE + 1, "data//x", RW, LIMPET_ERANGE },
		{ ALICE + 1, "data/", RW, LIMPET_ERANGE },
		{ ALICE + 1, "/data", RW, LIMPET_ERANGE },
		{ ALICE + 1, "..", RW, LIMPET_ERANGE },
		{ ALICE + 1, "data/.hidden/..x/...", RW, 0 },
		{ ALICE + 1, "data", 0, LIMPET_ERANGE },
		{ ALICE + 1, "data", LIMPET_FILES_CREATE, LIMPET_ERANGE },
		{ ALICE + 1, "data", LIMPET_FILES_READ | LIMPET_FILES_TRUNCATE, LIMPET_ERANGE },
		{ ALICE + 1, "data", RW | 32, LIMPET_ERANGE },
		{ ALICE + 1, "data", RW | 1ul << 32, LIMPET_ERANGE },
	};
	word handle;

	(void)state;
	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		unsigned int before = asked_count;

		if (open_as(tries[i].badge, tries[i].name, tries[i].how, &handle) !=
		    tries[i].status)
			fail_msg("%s %lu", tries[i].name, tries[i].how);
		if (tries[i].status && asked_count != before && asked.what == LIMPET_FILES_OPEN)
			fail_msg("%s reached Linux", tries[i].name);
	}
}

static void test_memory_of_the_caller(void **state)
{
	struct files_open_results out;
	word handle, at = share(ALICE + 1), other = share(BOB + 1);
	const word size = 2 * LIMPET_PAGE;
	static const word far[] = { 0, 1, 4096, ~0ul, 1ul << 63 };

	(void)state;
	assert_int_not_equal(at, other);
	assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), 0);
	for (size_t i = 0; i < sizeof(far) / sizeof(*far); i++) {
		assert_int_equal(files_serve_open(ALICE + 1, far[i], 4, RW, &out), LIMPET_ERANGE);
		assert_int_equal(files_serve_read(ALICE + 1, handle, 0, far[i], 8, 0),
				 LIMPET_ERANGE);
		assert_int_equal(files_serve_write(ALICE + 1, handle, 0, far[i], 8), LIMPET_ERANGE);
	}
	assert_int_equal(files_serve_open(ALICE + 1, other, 4, RW, &out), LIMPET_ERANGE);
	assert_int_equal(files_serve_read(ALICE + 1, handle, 0, other, 8, 0), LIMPET_ERANGE);
	assert_int_equal(files_serve_read(ALICE + 1, handle, 0, at - 1, 8, 0), LIMPET_ERANGE);
	assert_int_equal(files_serve_read(ALICE + 1, handle, 0, at + size - 7, 8, 0),
			 LIMPET_ERANGE);
	assert_int_equal(files_serve_read(ALICE + 1, handle, 0, at + size, 1, 0), LIMPET_ERANGE);
	assert_int_equal(files_serve_read(ALICE + 1, handle, 0, at, size + 1, 0), LIMPET_ERANGE);
	assert_int_equal(files_serve_read(ALICE + 1, handle, 0, at, ~0ul, 0), LIMPET_ERANGE);
	assert_int_equal(files_serve_read(ALICE + 1, handle, 0, at, 0, 0), LIMPET_ERANGE);
	assert_int_equal(files_serve_read(ALICE + 1, handle, 1ul << 63, at, 8, 0), LIMPET_ERANGE);
	assert_int_equal(files_serve_read(ALICE + 1, handle, 0, at, 8, LIMPET_FILES_WAIT + 1),
			 LIMPET_ERANGE);
	assert_int_equal(files_serve_read(ALICE + 1, handle, 0, at + size - 8, 8, 0), 0);
	assert_int_equal(files_serve_open(ALICE + 1, at, 0, RW, &out), LIMPET_ERANGE);
	assert_int_equal(files_serve_open(ALICE + 1, at, 256, RW, &out), LIMPET_ERANGE);
}

static void test_share(void **state)
{
	struct files_share_results out = { 0 };

	(void)state;
	share(ALICE + 1);
	share(BOB + 1);
	assert_int_equal(files_serve_share(ALICE + 1, 3, &out), LIMPET_ERANGE);
	assert_int_equal(files_serve_share(ALICE + 1, 0, &out), LIMPET_ERANGE);
	assert_int_equal(files_serve_share(ALICE + 1, 17, &out), LIMPET_ERANGE);
	assert_int_equal(files_serve_share(MALLORY + 1, 1, &out), LIMPET_ERIGHTS);
	assert_int_equal(files_serve_share(0, 1, &out), LIMPET_ERIGHTS);
}

static void test_handles(void **state)
{
	struct files_size_results size;
	word handle[HANDLES_EACH], of_bob, more;

	(void)state;
	share(ALICE + 1);
	for (unsigned int i = 0; i < HANDLES_EACH; i++) {
		struct files_open_results out;

		memcpy((void *)shared[0], "data", 4);
		assert_int_equal(files_serve_open(ALICE + 1, (word)shared[0], 4, RW, &out), 0);
		handle[i] = out.handle;
	}
	{
		struct files_open_results out;

		assert_int_equal(files_serve_open(ALICE + 1, (word)shared[0], 4, RW, &out),
				 LIMPET_EFULL);
	}
	assert_int_equal(open_as(BOB + 1, "data", LIMPET_FILES_READ, &of_bob), 0);
	assert_int_equal(files_serve_write(BOB + 1, of_bob, 0, (word)shared[1], 1), LIMPET_ERIGHTS);
	/* A component cannot use the handles of another one. */
	assert_int_equal(files_serve_size(BOB + 1, handle[0], &size), LIMPET_ENOENT);
	assert_int_equal(files_serve_close(BOB + 1, handle[0]), LIMPET_ENOENT);
	assert_int_equal(files_serve_size(ALICE + 1, of_bob, &size), LIMPET_ENOENT);
	for (unsigned int bit = 0; bit < 64; bit++)
		assert_int_equal(files_serve_size(BOB + 1, of_bob ^ 1ul << bit, &size),
				 LIMPET_ENOENT);
	/* A closed handle is invalid, even if its record is used again. */
	assert_int_equal(files_serve_close(BOB + 1, of_bob), 0);
	assert_int_equal(open_as(BOB + 1, "data", LIMPET_FILES_READ, &more), 0);
	assert_int_equal(files_serve_size(BOB + 1, of_bob, &size), LIMPET_ENOENT);
	/* A restarted client has no handles. */
	share(ALICE + 1);
	for (unsigned int i = 0; i < HANDLES_EACH; i++)
		assert_int_equal(files_serve_size(ALICE + 1, handle[i], &size), LIMPET_ENOENT);
	asked_count = 0;
	own_turn();
	honest();
	own_turn();
	honest();
	assert_int_equal(asked_count, HANDLES_EACH);
	assert_int_equal(asked.what, LIMPET_FILES_CLOSE);
}

/* --- a proxy that is missing, late, wrong, or new */

static void test_no_answer(void **state)
{
	word handle;
	uint64_t begin = now, late;

	(void)state;
	proxy = NULL;
	assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), LIMPET_ETIME);
	assert_int_equal(now - begin, 1000ul * TICKS);
	/* A file that was opened too late is closed. */
	assert_true(take());
	late = asked.id;
	answer = (struct limpet_files_answer){ .id = late, .what = LIMPET_FILES_OPEN, .value = 42 };
	say(&answer, "", 0);
	own_turn();
	assert_true(take());
	assert_int_equal(asked.what, LIMPET_FILES_CLOSE);
	assert_int_equal(asked.handle, 42);
	/* The answer is not used for another request. */
	proxy = honest;
	answer = (struct limpet_files_answer){ .value = 43 };
	assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), 0);
}

static struct limpet_files_answer lie;
static size_t lie_more;

static void liar(void)
{
	struct limpet_files_answer said = lie;

	if (!take())
		return;
	said.id = asked.id;
	said.what = asked.what;
	say(&said, answer_bytes, lie_more);
}

static void test_answers_that_make_no_sense(void **state)
{
	static const struct {
		int64_t status;
		uint64_t value;
		size_t more;
	} get[] = {
		{ 9, 0, 8 },	   { 9, 0, 10 },	{ 9, 0, 0 },	     { 101, 0, 101 },
		{ 8000, 0, 4000 }, { INT64_MAX, 0, 0 }, { INT64_MIN, 0, 0 }, { -1, 0, 4 },
		{ -19, 0, 0 },	   { 0, 0, 1 },
	};
	struct files_open_results out;
	struct files_size_results size;
	word handle, at = share(ALICE + 1);

	(void)state;
	assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), 0);
	proxy = liar;
	for (size_t i = 0; i < sizeof(get) / sizeof(*get); i++) {
		memset((void *)at, 0x55, 2 * LIMPET_PAGE);
		memset(answer_bytes, 0xaa, sizeof(answer_bytes));
		lie = (struct limpet_files_answer){ .status = get[i].status,
						    .value = get[i].value };
		lie_more = get[i].more;
		assert_int_equal(files_serve_read(ALICE + 1, handle, 0, at, 100, 0), LIMPET_ESTATE);
		for (unsigned int byte = 0; byte < 2 * LIMPET_PAGE; byte++)
			assert_int_equal(((char *)at)[byte], 0x55);
	}
	lie_more = 0;
	lie = (struct limpet_files_answer){ .status = 5 };
	assert_int_equal(files_serve_write(ALICE + 1, handle, 0, at, 4), LIMPET_ESTATE);
	assert_int_equal(files_serve_size(ALICE + 1, handle, &size), LIMPET_ESTATE);
	memcpy((void *)at, "data", 4);
	assert_int_equal(files_serve_open(ALICE + 1, at, 4, RW, &out), LIMPET_ESTATE);
	lie = (struct limpet_files_answer){ .value = 1ul << 32 };
	assert_int_equal(files_serve_open(ALICE + 1, at, 4, RW, &out), LIMPET_ESTATE);
	lie = (struct limpet_files_answer){ .status = LIMPET_EQUOTA };
	assert_int_equal(files_serve_write(ALICE + 1, handle, 0, at, 4), LIMPET_EQUOTA);
}

static void other_proxy(void)
{
	const struct limpet_files_answer begin = { .what = LIMPET_FILES_BEGIN };

	if (take())
		say(&begin, "", 0);
}

static void test_another_proxy(void **state)
{
	struct files_size_results size;
	word handle;

	(void)state;
	assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), 0);
	proxy = other_proxy;
	assert_int_equal(files_serve_size(ALICE + 1, handle, &size), LIMPET_ECRASH);
	proxy = honest;
	assert_int_equal(files_serve_size(ALICE + 1, handle, &size), LIMPET_ENOENT);
	assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), 0);
	/* Linux's side restarts. */
	linux_begin(77777);
	assert_int_equal(files_serve_size(ALICE + 1, handle, &size), LIMPET_ENOENT);
	assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), 0);
	/* No process has the channel open. */
	linux_end.self->opened = 0;
	own_turn();
	assert_int_equal(files_serve_size(ALICE + 1, handle, &size), LIMPET_ENOENT);
	assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), LIMPET_ECRASH);
	/* Linux's side is not connected. */
	linux_end.self->opened = 1;
	own_turn();
	linux_end.self->generation = 0;
	own_turn();
	assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), LIMPET_ECRASH);
}

/* Ends an open of the waiting caller. Before the caller continues, the proxy is replaced. */
static void opened_before_another_proxy(void)
{
	word handle;

	honest();
	own_turn();
	proxy = honest;
	linux_begin(77777);
	assert_int_equal(open_as(BOB + 1, "data", LIMPET_FILES_READ, &handle), 0);
}

/* The old proxy's handle is not used, because the new proxy can have given it to another component. */
static void test_handle_of_the_old_proxy(void **state)
{
	word handle;

	(void)state;
	proxy = opened_before_another_proxy;
	assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), LIMPET_ECRASH);
	assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), 0);
}

static word of_alice, of_bob;
static unsigned int waiting;

/* Makes further requests of the waiting caller's component, as many as it may have. */
static void alice_asks_more(void)
{
	struct files_size_results size;

	if (++waiting < REQUESTS_EACH) {
		assert_int_equal(files_serve_size(ALICE + 1, of_alice, &size), 0);
		return;
	}
	assert_int_equal(files_serve_size(ALICE + 1, of_alice, &size), LIMPET_EBUSY);
	proxy = honest;
	assert_int_equal(files_serve_size(BOB + 1, of_bob, &size), 0);
}

static void test_requests_of_one(void **state)
{
	struct files_size_results size;

	(void)state;
	assert_int_equal(open_as(ALICE + 1, "data", RW, &of_alice), 0);
	assert_int_equal(open_as(BOB + 1, "data", LIMPET_FILES_READ, &of_bob), 0);
	waiting = 0;
	proxy = alice_asks_more;
	assert_int_equal(files_serve_size(ALICE + 1, of_alice, &size), 0);
	assert_int_equal(waiting, REQUESTS_EACH);
}

/* Writes random bytes into all memory that Linux can write, also while calls wait. */
static void scribbler(void)
{
	char *host = memory + offsetof(struct limpet_channel_header, host);

	for (unsigned int i = 0; i < 8; i++) {
		memory[LIMPET_CHANNEL_PAGE + RING + (unsigned int)rand() % RING] = (char)rand();
		host[(unsigned int)rand() % sizeof(struct limpet_side)] = (char)rand();
	}
	if (rand() % 4 == 0) {
		linux_end.self->head += (uint64_t)rand() % 64;
		linux_end.self->seen = linux_end.peer->generation;
	}
	if (rand() % 50 == 0)
		proxy = NULL;
}

static void test_scribbler(void **state)
{
	struct files_size_results size;
	word handle;

	(void)state;
	srand(7);
	for (unsigned int i = 0; i < 3000; i++) {
		if (i % 100 == 0) {
			proxy = honest;
			linux_begin(i + 100000);
			answer = (struct limpet_files_answer){ 0 };
			assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), 0);
		}
		proxy = scribbler;
		files_serve_size(ALICE + 1, handle, &size);
		proxy = scribbler;
		files_serve_read(ALICE + 1, handle, 0, (word)shared[0], 4096, 0);
	}
}

static void test_arguments(void **state)
{
	static const char *const wrong[] = { "10",
					     "10 data",
					     "10 data x",
					     "0 data r",
					     "13 data r",
					     "64 data r",
					     "data r",
					     "10  r",
					     "10 data rw ",
					     "-1 data r",
					     "99999999999999999999 d r",
					     "10 abcdefghijklmnopqrstuvwxy r" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		files_info.args = 0;
		printed = 0;
		memset(files_info.arg, 0, sizeof(files_info.arg));
		arg("offer-3", wrong[i]);
		assert_int_equal(component_init(&files_info), LIMPET_ERANGE);
		assert_int_equal(printed, 1);
	}
}

static void number_arg(const char *name, int64_t number)
{
	struct limpet_info_arg *a = &files_info.arg[files_info.args++];

	*a = (struct limpet_info_arg){ .number = number };
	strcpy(a->name, name);
}

/*
 * A line reports a time limit that no call can have, and the limit is refused. The minimum and the
 * maximum are accepted.
 */
static void test_time_limits(void **state)
{
	static const int64_t wrong[] = { 0, -1, 3600001, INT64_MAX, INT64_MIN };
	static const int64_t right[] = { 1, 3600000 };
	struct files_size_results size = { 0 };
	word handle;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		files_info.args = 0;
		printed = 0;
		number_arg("timeout-ms", wrong[i]);
		assert_int_equal(component_init(&files_info), LIMPET_ERANGE);
		assert_int_equal(printed, 1);
	}
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++) {
		uint64_t begin;

		files_info.args = 0;
		printed = 0;
		number_arg("timeout-ms", right[i]);
		arg("offer-0", "10 data rw");
		assert_int_equal(component_init(&files_info), LIMPET_OK);
		assert_int_equal(printed, 0);
		proxy = honest;
		assert_int_equal(open_as(ALICE + 1, "data", RW, &handle), 0);
		proxy = NULL;
		begin = now;
		assert_int_equal(files_serve_size(ALICE + 1, handle, &size), LIMPET_ETIME);
		assert_int_equal(now - begin, (uint64_t)right[i] * TICKS);
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_calls),
		TEST(test_who_may_open_what),
		TEST(test_memory_of_the_caller),
		TEST(test_share),
		TEST(test_handles),
		TEST(test_no_answer),
		TEST(test_answers_that_make_no_sense),
		TEST(test_another_proxy),
		TEST(test_handle_of_the_old_proxy),
		TEST(test_requests_of_one),
		TEST(test_scribbler),
		TEST(test_arguments),
		TEST(test_time_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
