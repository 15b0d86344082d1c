// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests exec.spaces and lib/executive/space.c. Each wait ends like on a signal, and a held guest repeats its call,
 * so that one thread can act as all guests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include <executive/linux.h>
#include <executive/space.h>
#include <guest/numbers.h>

#include "guest_fake.h"
#include "spaces.h"

#define ENTRY 0x401000ul
#define STACK 0x7000000ul
#define CALL_AT 0x402002ul /* after the SYSCALL instruction */
#define SPACES 6

static unsigned int wakes[64], wake_count;
static long wait_status; /* status of GUEST_WAIT */
static bool committed;

/*
 * A call in which the guest continues without an answer after `left` kernel calls, unless the handler has committed the
 * answer. A negative `left` means that the guest waits for its answer. The guest repeats its call before the handler returns
 * if `early` is set, otherwise afterwards.
 */
static struct {
	int left;
	bool early;
	unsigned int id;
	word w[4];
	struct executive_answer answer;
} cut = { .left = -1 };

static struct executive_answer call(unsigned int id, word operation, word w1, word w2, word w3)
{
	return fake_call(id, SPACES_CALL, operation, w1, w2, w3, 0, 0);
}

static void call_again(void)
{
	fake_orphan = committed = false;
	cut.answer = call(cut.id, cut.w[0], cut.w[1], cut.w[2], cut.w[3]);
}

static void guest_leave(void)
{
	if (committed || cut.left < 0 || cut.left--)
		return;
	if (cut.early)
		call_again();
	committed = false;
	fake_orphan = true;
}

static unsigned int born; /* guest that starts while its creator waits, or 0 */
static void born_begin(void);

/* Records the guests that are woken by any caller. */
static bool kernel(word call, const word *in, struct limpet_out *out, long *status)
{
	(void)out;
	guest_leave();
	committed &= call != LIMPET_CALL_GUEST_WAIT;
	if (call == LIMPET_CALL_GUEST_REGISTERS && !fake_orphan && in[1] & LIMPET_GUEST_COMMIT)
		committed = true;
	if (call == LIMPET_CALL_GUEST_WAKE && wake_count < 64)
		wakes[wake_count++] = (unsigned int)in[0];
	if (call != LIMPET_CALL_GUEST_WAIT || fake_orphan)
		return false;
	if (in[3] && wake_count < 64)
		wakes[wake_count++] = (unsigned int)in[3] - 1;
	*status = born ? LIMPET_OK : wait_status;
	if (born)
		born_begin();
	return true;
}

static bool woken(unsigned int id)
{
	bool found = false;

	for (unsigned int i = 0; i < wake_count; i++)
		found |= wakes[i] == id;
	wake_count = 0;
	return found;
}

/* Does the same, but the guest continues without an answer after at / 2 kernel calls. */
static struct executive_answer call_cut(int at, unsigned int id, word operation, word w1, word w2,
					word w3)
{
	struct executive_answer answer;

	cut.left = at / 2;
	cut.early = at % 2;
	cut.id = id;
	memcpy(cut.w, (const word[]){ operation, w1, w2, w3 }, sizeof(cut.w));
	committed = false;
	answer = call(id, operation, w1, w2, w3);
	guest_leave();
	cut.left = -1;
	if (!fake_orphan)
		return answer;
	if (!cut.early)
		call_again();
	fake_orphan = false;
	return cut.answer;
}

static struct executive_answer result(unsigned int id, long value, bool interrupted)
{
	return fake_event(LIMPET_GUEST_RESULT, id, SPACES_CALL, (word)value, interrupted, 0);
}

static void end(unsigned int id, word status)
{
	fake_event(LIMPET_GUEST_END, id, 100 + id, 100 + id, status, 0);
}

/* Does the same as fork and the child's first instruction. The registers are the child's. */
static void begin(unsigned int id, unsigned int maker)
{
	fake_register[LIMPET_GUEST_RIP] = CALL_AT;
	fake_register[LIMPET_GUEST_RAX] = 0;
	fake_event(LIMPET_GUEST_BEGIN, id, 100 + id, 100 + id, maker + 1, LIMPET_GUEST_BY_FORK);
}

/* The kernel passes the arguments of the creator's own call to the new process. */
static void forked(word argument)
{
	fake_register[LIMPET_GUEST_RDI] = SPACE_CREATE;
	fake_register[LIMPET_GUEST_RSI] = ENTRY;
	fake_register[LIMPET_GUEST_RDX] = STACK;
	fake_register[LIMPET_GUEST_R10] = argument;
}

/* Starts the new guest. Its creator is guest 1. */
static void born_begin(void)
{
	const unsigned int id = born;
	const int left = cut.left;

	born = 0;
	cut.left = -1;
	forked(5);
	begin(id, 1);
	assert_answer(call(id, SPACE_START, ENTRY, STACK, 5), PASS_RESULT);
	cut.left = left;
	committed = false;
}

/* Guest `id` creates a space, which becomes guest `child`. Returns its number. */
static long create(unsigned int id, unsigned int child)
{
	struct executive_answer answer = call(id, SPACE_CREATE, ENTRY, STACK, 77);

	assert_int_equal(answer.operation, LIMPET_GUEST_PASS_RESULT);
	assert_int_equal(fake_register[LIMPET_GUEST_RAX], GUEST_CALL_clone);
	assert_int_equal(fake_register[LIMPET_GUEST_RDI], 0);
	if (child % 2) { /* the creator continues before its new process starts */
		assert_answer(result(id, 1000 + child, false), AGAIN);
		assert_answer(call(id, SPACE_CREATE, ENTRY, STACK, 77), AGAIN);
	}
	forked(77);
	wake_count = 0;
	begin(child, id);
	assert_int_equal(fake_register[LIMPET_GUEST_RIP], CALL_AT - 2);
	assert_int_equal(fake_register[LIMPET_GUEST_RAX], SPACES_CALL);
	assert_int_equal(fake_register[LIMPET_GUEST_RDI], SPACE_START);
	assert_false(woken(id));
	assert_answer(call(child, SPACE_START, ENTRY, STACK, 77), PASS_RESULT);
	assert_true(woken(id));
	answer = child % 2 ? call(id, SPACE_CREATE, ENTRY, STACK, 77)
			   : result(id, 1000 + child, false);
	assert_int_equal(answer.operation, LIMPET_GUEST_SERVE);
	return (long)answer.value;
}

/* Makes the first call of a new space, which holds it. */
static void start(unsigned int child)
{
	assert_answer(call(child, SPACE_START, ENTRY, STACK, 77), PASS_RESULT);
	assert_int_equal(fake_register[LIMPET_GUEST_RAX], GUEST_CALL_prctl);
	assert_int_equal(fake_register[LIMPET_GUEST_RSI], LINUX_SIGKILL);
	assert_answer(result(child, 0, false), AGAIN);
}

static void destroy(unsigned int id, long space, unsigned int child)
{
	assert_answer(call(id, SPACE_DESTROY, (word)space, 0, 0), PASS_RESULT);
	assert_int_equal(fake_register[LIMPET_GUEST_RAX], GUEST_CALL_wait4);
	assert_int_equal(fake_register[LIMPET_GUEST_RDI], 1000 + child);
	assert_int_equal(fake_register[LIMPET_GUEST_RDX], 0x40000000);
	end(child, 9);
	assert_served(result(id, 1000 + child, false), 0);
}

static int setup(void **state)
{
	(void)state;
	fake_reset();
	fake_info.args = 0;
	fake_argument("spaces", SPACES);
	fake_kernel = kernel;
	for (unsigned int id = 0; id < 40; id++)
		end(id, 0);
	for (unsigned int id = 0; id < 40; id++)
		fake_event(LIMPET_GUEST_BEGIN, id, 100 + id, 100 + id, 0, LIMPET_GUEST_BY_ENTER);
	wake_count = 0;
	wait_status = LIMPET_EINTR;
	assert_false(fake_main());
	return 0;
}

static void test_kinds(void **state)
{
	(void)state;
	assert_int_equal(fake_kinds, LIMPET_GUEST_WANTS(LIMPET_GUEST_RESULT) |
					     LIMPET_GUEST_WANTS(LIMPET_GUEST_BEGIN) |
					     LIMPET_GUEST_WANTS(LIMPET_GUEST_END));
	assert_answer(fake_call(1, GUEST_CALL_getppid, 0, 0, 0, 0, 0, 0), PASS);
	assert_answer(fake_event(LIMPET_GUEST_CALL, LIMPET_GUESTS_MAX, SPACES_CALL, 0, 0, 0), PASS);
	assert_answer(fake_event(LIMPET_GUEST_EXEC, 1, 0, 0, 0, 0), PASS);
	assert_answer(result(1, 0, false), AGAIN); /* space of an executive that has crashed */
}

static void test_switch(void **state)
{
	long space;

	(void)state;
	space = create(1, 2);
	start(2);
	assert_answer(call(1, SPACE_SWITCH, (word)space, 42, 0), AGAIN); /* held */
	assert_true(woken(2));
	assert_served(call(2, SPACE_START, ENTRY, STACK, 77), 0);
	assert_int_equal(fake_register[LIMPET_GUEST_RIP], ENTRY);
	assert_int_equal(fake_register[LIMPET_GUEST_RSP], STACK);
	assert_int_equal(fake_register[LIMPET_GUEST_RDI], 77);
	assert_int_equal(fake_register[LIMPET_GUEST_RSI], 0);
	assert_int_equal(fake_register[LIMPET_GUEST_RDX], 42);
	assert_int_equal(call(2, SPACE_START, 0, 0, 0).operation, LIMPET_GUEST_KILL);
	assert_answer(call(1, SPACE_SWITCH, (word)space, 42, 0), AGAIN); /* still held */
	assert_answer(call(2, SPACE_SWITCH, 0, 43, 0), AGAIN);
	assert_true(woken(1));
	fake_register[LIMPET_GUEST_RIP] = CALL_AT;
	assert_served(call(1, SPACE_SWITCH, (word)space, 42, 0), space);
	assert_int_equal(fake_register[LIMPET_GUEST_RDX], 43);
	assert_int_equal(fake_register[LIMPET_GUEST_RIP], CALL_AT);
	destroy(1, space, 2);
}

/* A space that was not started yet can be switched to, and destroyed. */
static void test_made(void **state)
{
	long space;

	(void)state;
	space = create(1, 2);
	assert_answer(call(1, SPACE_SWITCH, (word)space, 1, 0), AGAIN);
	assert_answer(call(2, SPACE_START, 0, 0, 0), PASS_RESULT);
	assert_served(result(2, 0, false), 0);
	end(2, 3 << 8);
	assert_true(woken(1));
	assert_served(call(1, SPACE_SWITCH, (word)space, 1, 0), -LINUX_ECHILD);
	assert_int_equal(fake_register[LIMPET_GUEST_RDX], 3 << 8);
	assert_served(call(1, SPACE_SWITCH, (word)space, 1, 0), -LINUX_EBUSY);
	destroy(1, space, 2);
	assert_served(call(1, SPACE_DESTROY, (word)space, 0, 0), -LINUX_ENOENT);
	space = create(1, 3);
	assert_answer(call(1, SPACE_DESTROY, (word)space, 0, 0), PASS_RESULT);
	assert_answer(call(3, SPACE_START, 0, 0, 0), PASS_RESULT);
	assert_int_equal(result(3, 0, false).operation, LIMPET_GUEST_KILL);
}

static void test_refused(void **state)
{
	long space;

	(void)state;
	assert_served(call(1, SPACE_SWITCH, 0, 0, 0), -LINUX_ENOENT);
	assert_served(call(1, SPACE_DESTROY, 0, 0, 0), -LINUX_ENOENT);
	assert_int_equal(call(1, SPACE_START, 0, 0, 0).operation, LIMPET_GUEST_KILL);
	assert_served(call(1, 4, 0, 0, 0), -LINUX_EINVAL);
	assert_served(call(1, ~0ul, 0, 0, 0), -LINUX_EINVAL);
	assert_served(call(1, SPACE_CREATE, 0, STACK, 0), -LINUX_EINVAL);
	assert_served(call(1, SPACE_CREATE, LIMPET_USER_END, STACK, 0), -LINUX_EINVAL);
	assert_served(call(1, SPACE_CREATE, ENTRY, LIMPET_USER_END, 0), -LINUX_EINVAL);
	space = create(1, 2);
	assert_int_equal(space, 1);
	assert_served(call(1, SPACE_SWITCH, 0, 0, 0), -LINUX_ENOENT); /* itself */
	assert_served(call(1, SPACE_SWITCH, 2, 0, 0), -LINUX_ENOENT);
	assert_served(call(1, SPACE_SWITCH, ~0ul, 0, 0), -LINUX_ENOENT);
	assert_served(call(2, SPACE_DESTROY, 0, 0, 0), -LINUX_ENOENT); /* its creator */
	start(2);
}

/* Programs do not reach each other's spaces. */
static void test_programs(void **state)
{
	long space, others;

	(void)state;
	space = create(1, 2);
	others = create(11, 12);
	start(12);
	assert_int_not_equal(space, others);
	assert_served(call(1, SPACE_SWITCH, (word)others, 0, 0), -LINUX_ENOENT);
	assert_served(call(1, SPACE_DESTROY, (word)others, 0, 0), -LINUX_ENOENT);
	assert_served(call(11, SPACE_SWITCH, (word)space, 0, 0), -LINUX_ENOENT);
	end(11, 0); /* its space ends, too */
	assert_true(woken(12));
	assert_int_equal(call(12, SPACE_START, 0, 0, 0).operation, LIMPET_GUEST_KILL);
	end(12, 9);
	assert_int_equal(create(21, 22), others); /* the number of its space is free */
}

static void test_full(void **state)
{
	long last = 0;

	(void)state;
	for (unsigned int id = 2; id <= SPACES; id++)
		last = create(1, id);
	assert_int_equal(last, SPACES - 1);
	assert_served(call(1, SPACE_CREATE, ENTRY, STACK, 0), -LINUX_EAGAIN);
	assert_served(call(20, SPACE_CREATE, ENTRY, STACK, 0), -LINUX_EAGAIN);
	destroy(1, last, SPACES);
	assert_int_equal(create(1, 30), last);
}

/* Linux refuses to fork, or a signal interrupts it. */
static void test_fork_fails(void **state)
{
	(void)state;
	assert_answer(call(1, SPACE_CREATE, ENTRY, STACK, 0), PASS_RESULT);
	assert_served(result(1, -LINUX_EAGAIN, false), -LINUX_EAGAIN);
	assert_answer(call(1, SPACE_CREATE, ENTRY, STACK, 0), PASS_RESULT);
	assert_answer(result(1, -LINUX_EINTR, true), PASS);
	assert_int_equal(create(1, 2), 1);
	assert_answer(call(1, SPACE_DESTROY, 1, 0, 0), PASS_RESULT);
	assert_answer(result(1, -LINUX_EINTR, true), PASS);
	destroy(1, 1, 2);
}

/* A child of another call is not a space, and makes its own calls. */
static void test_other_children(void **state)
{
	(void)state;
	begin(3, 1);
	assert_int_equal(fake_register[LIMPET_GUEST_RIP], CALL_AT);
	assert_answer(call(1, SPACE_CREATE, ENTRY, STACK, 0), PASS_RESULT);
	fake_register[LIMPET_GUEST_RDI] = 5; /* the result was lost, and this is an ordinary fork */
	begin(4, 1);
	assert_int_equal(fake_register[LIMPET_GUEST_RIP], CALL_AT);
	assert_int_equal(call(4, SPACE_START, 0, 0, 0).operation, LIMPET_GUEST_KILL);
}

/* The end of a space also ends the spaces that it created: held, new, and already ended ones. */
static void test_nested(void **state)
{
	long outer;

	(void)state;
	outer = create(1, 2);
	start(2);
	assert_answer(call(1, SPACE_SWITCH, (word)outer, 0, 0), AGAIN);
	assert_served(call(2, SPACE_START, 0, 0, 0), 0);
	create(2, 3);
	start(3);
	create(2, 4);
	create(2, 5);
	end(5, 0);
	end(2, 9);
	assert_served(call(1, SPACE_SWITCH, (word)outer, 0, 0), -LINUX_ECHILD);
	assert_int_equal(call(3, SPACE_START, 0, 0, 0).operation, LIMPET_GUEST_KILL);
	end(3, 9);
	end(4, 9);
	destroy(1, outer, 2);
	for (unsigned int i = 1; i < SPACES; i++)
		create(1, 10 + i);
}

/* END of a destroyed space can come after its process is gone. It does not change the next space. */
static void test_late_end(void **state)
{
	long space, next;

	(void)state;
	space = create(1, 2);
	start(2);
	assert_answer(call(1, SPACE_DESTROY, (word)space, 0, 0), PASS_RESULT);
	assert_true(woken(2));
	assert_served(result(1, 1002, false), 0);
	assert_served(call(1, SPACE_SWITCH, (word)space, 42, 0), -LINUX_ENOENT);
	assert_served(call(1, SPACE_DESTROY, (word)space, 0, 0), -LINUX_ENOENT);
	next = create(1, 4);
	start(4);
	assert_answer(call(1, SPACE_SWITCH, (word)next, 42, 0), AGAIN);
	wake_count = 0;
	end(2, 9);
	assert_false(woken(1));
	assert_served(call(4, SPACE_START, ENTRY, STACK, 77), 0);
	assert_answer(call(4, SPACE_SWITCH, 0, 43, 0), AGAIN);
	assert_served(call(1, SPACE_SWITCH, (word)next, 42, 0), next);
	destroy(1, next, 4);
	for (unsigned int i = 1; i < SPACES; i++)
		create(1, 10 + i);
}

/* A program is killed while it creates a space, before and after the new process exists. */
static void test_killed(void **state)
{
	(void)state;
	assert_answer(call(1, SPACE_CREATE, ENTRY, STACK, 0), PASS_RESULT);
	end(1, 9);
	forked(0);
	begin(2, 1);
	assert_int_equal(fake_register[LIMPET_GUEST_RDI], SPACE_START);
	assert_answer(call(2, SPACE_START, 0, 0, 0), PASS_RESULT);
	assert_int_equal(result(2, 0, false).operation, LIMPET_GUEST_KILL);
	end(2, 9);
	assert_answer(call(1, SPACE_CREATE, ENTRY, STACK, 0), PASS_RESULT);
	end(1, 9);
	fake_register[LIMPET_GUEST_RDI] = 0;
	begin(1, 3);
	for (unsigned int i = 1; i < SPACES; i++)
		create(1, 10 + i);
}

/* A new process is killed before it starts. Its creator notices this with wait4(). */
static void test_unborn(void **state)
{
	(void)state;
	assert_answer(call(1, SPACE_CREATE, ENTRY, STACK, 0), PASS_RESULT);
	wait_status = LIMPET_ETIME;
	assert_answer(result(1, 1002, false), PASS_RESULT);
	assert_int_equal(fake_register[LIMPET_GUEST_RAX], GUEST_CALL_wait4);
	assert_int_equal(fake_register[LIMPET_GUEST_RDI], 1002);
	assert_int_equal(fake_register[LIMPET_GUEST_RDX], 0x40000001);
	assert_answer(result(1, 0, false), PASS_RESULT); /* it has not ended yet */
	assert_answer(result(1, -LINUX_EINTR, true), PASS);
	assert_answer(call(1, SPACE_CREATE, ENTRY, STACK, 0), PASS_RESULT);
	assert_int_equal(fake_register[LIMPET_GUEST_RAX], GUEST_CALL_wait4);
	assert_served(result(1, 1002, false), -LINUX_EAGAIN);
	wait_status = LIMPET_EINTR;
	assert_int_equal(create(1, 2), 1);
	/* The process starts while its creator checks. */
	assert_answer(call(1, SPACE_CREATE, ENTRY, STACK, 0), PASS_RESULT);
	wait_status = LIMPET_ETIME;
	assert_answer(result(1, 1004, false), PASS_RESULT);
	forked(0);
	begin(4, 1);
	assert_answer(result(1, 0, false), PASS_RESULT); /* it has not ended yet */
	assert_answer(call(4, SPACE_START, ENTRY, STACK, 0), PASS_RESULT);
	assert_served(result(1, 0, false), 2);
	destroy(1, 2, 4);
}

/* Spaces of programs that are killed while they create them are reused. */
static void test_left(void **state)
{
	(void)state;
	for (unsigned int id = 1; id < 4 * SPACES; id++) {
		assert_answer(call(id, SPACE_CREATE, ENTRY, STACK, id), PASS_RESULT);
		end(id, 9);
	}
	for (unsigned int i = 1; i < SPACES; i++)
		create(30, 30 + i);
	assert_served(call(30, SPACE_CREATE, ENTRY, STACK, 0), -LINUX_EAGAIN);
}

/* A signal drops the answer after each possible number of kernel calls. No space is created twice, no answer is lost. */
static void test_cut(void **state)
{
	for (int at = 0; at < 12; at++) {
		setup(state);
		assert_int_equal(create(1, 2), 1);
		start(2);
		assert_answer(call_cut(at, 1, SPACE_SWITCH, 1, 42, 0), AGAIN);
		assert_served(call_cut(at, 2, SPACE_START, ENTRY, STACK, 77), 0);
		assert_int_equal(fake_register[LIMPET_GUEST_RIP], ENTRY);
		assert_int_equal(fake_register[LIMPET_GUEST_RDX], 42);
		assert_answer(call_cut(at, 2, SPACE_SWITCH, 0, 43, 0), AGAIN);
		assert_served(call_cut(at, 1, SPACE_SWITCH, 1, 42, 0), 1);
		assert_int_equal(fake_register[LIMPET_GUEST_RDX], 43);
		assert_served(call_cut(at, 1, SPACE_SWITCH, 2, 0, 0), -LINUX_ENOENT);
		assert_answer(call_cut(at, 1, SPACE_CREATE, ENTRY, STACK, 5), PASS_RESULT);
		assert_answer(result(1, 1003, false), AGAIN);
		born = 3;
		assert_served(call_cut(at, 1, SPACE_CREATE, ENTRY, STACK, 5), 2);
		assert_answer(call_cut(at, 3, SPACE_START, ENTRY, STACK, 5), PASS_RESULT);
		assert_answer(call_cut(at, 1, SPACE_DESTROY, 1, 0, 0), PASS_RESULT);
		end(2, 9);
		assert_served(result(1, 1002, false), 0);
		assert_served(call_cut(at, 1, SPACE_DESTROY, 1, 0, 0), -LINUX_ENOENT);
		for (unsigned int i = 3; i < SPACES; i++)
			create(1, 10 + i); /* all spaces are free */
	}
}

/* The guest dies while its space becomes due. Its handler then changes nothing. */
static void test_orphan(void **state)
{
	long space;

	(void)state;
	space = create(1, 2);
	start(2);
	assert_answer(call(1, SPACE_SWITCH, (word)space, 0, 0), AGAIN);
	fake_orphan = true;
	assert_answer(call(2, SPACE_START, 0, 0, 0), AGAIN);
	fake_orphan = false;
	assert_served(call(2, SPACE_START, 0, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_kinds, setup),
		cmocka_unit_test_setup(test_switch, setup),
		cmocka_unit_test_setup(test_made, setup),
		cmocka_unit_test_setup(test_refused, setup),
		cmocka_unit_test_setup(test_programs, setup),
		cmocka_unit_test_setup(test_full, setup),
		cmocka_unit_test_setup(test_fork_fails, setup),
		cmocka_unit_test_setup(test_other_children, setup),
		cmocka_unit_test_setup(test_nested, setup),
		cmocka_unit_test_setup(test_late_end, setup),
		cmocka_unit_test_setup(test_killed, setup),
		cmocka_unit_test_setup(test_unborn, setup),
		cmocka_unit_test_setup(test_left, setup),
		cmocka_unit_test_setup(test_orphan, setup),
		cmocka_unit_test_setup(test_cut, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
