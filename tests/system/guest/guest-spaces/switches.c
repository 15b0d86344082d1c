// SPDX-License-Identifier: GPL-2.0
/*
 * Creates spaces and switches between them. Checks their contents. Arguments: the number of
 * switches, the number of spaces, and optionally `signals`, which lets timers interrupt all spaces.
 * `plain`: it is not a guest.
 */
#include "use.h"

#include <sys/time.h>

static volatile long secret = 1; /* each space has its own */

/* Adds its argument to each value. */
static void adds(long argument, long from, long value)
{
	secret = argument;
	for (;;)
		from = spaces_switch(from, (value += secret, &value));
}

static void check_one(long switches)
{
	long space, value, wrong = 0;

	section("a space has an argument, a value, and memory of its own");
	space = spaces_create(adds, TOP, 5);
	EQUAL(space, 1);
	value = 100;
	EQUAL(spaces_switch(space, &value), space);
	EQUAL(value, 105);
	EQUAL(secret, 1);
	section("values in both directions");
	for (long i = 0; i < switches; i++) {
		value = i;
		wrong += spaces_switch(space, &value) != space || value != i + 5;
	}
	EQUAL(wrong, 0);
	EQUAL(secret, 1);
	section("a space is destroyed, and its process is gone");
	EQUAL(spaces_destroy(space), 0);
	EQUAL(waitpid(-1, NULL, __WALL), -1);
	EQUAL(spaces_switch(space, &value), -ENOENT);
	EQUAL(spaces_destroy(space), -ENOENT);
}

/* Passes the value to the space with the next number, or to the first space. */
static long first, last;
static void passes(long argument, long from, long value)
{
	long own = argument, count = 0;

	(void)from;
	for (;;) {
		value += ++count;
		spaces_switch(own == last ? 0 : own + 1, &value);
	}
}

static void check_many(long count)
{
	long value, wrong = 0;

	section("many spaces, one after another");
	last = first + count - 1; /* their numbers, because no other program has spaces */
	for (long i = first; i <= last; i++)
		wrong += spaces_create(passes, TOP, i) != i;
	EQUAL(wrong, 0);
	for (long round = 1; round <= 3; round++) {
		value = 0;
		EQUAL(spaces_switch(first, &value), last);
		EQUAL(value, count * round);
	}
	for (long i = first; i <= last; i++)
		wrong += spaces_destroy(i) != 0;
	EQUAL(wrong, 0);
	EQUAL(waitpid(-1, NULL, __WALL), -1);
}

/* Tests a space that creates a space, and returns its value from there to the first one. */
static void inner(long argument, long from, long value)
{
	(void)from;
	value += argument;
	spaces_switch(0, &value);
	_exit(9);
}
static void outer(long argument, long from, long value)
{
	long space = spaces_create(inner, stack + sizeof(stack) / 2, argument * 2);

	(void)from;
	value += argument;
	if (spaces_switch(space, &value) == -ECHILD) /* because the space has ended */
		spaces_switch(0, &value);
	_exit(8);
}

static void check_nested(void)
{
	long space, within, value = 1;

	section("a space creates a space");
	space = spaces_create(outer, TOP, 10);
	within = spaces_switch(space, &value);
	EXPECT(within > 0 && within != space);
	EQUAL(value, 31);
	EQUAL(spaces_destroy(within), -ENOENT); /* this space is not its creator */
	section("its creator gets the end of that");
	EQUAL(spaces_switch(within, &value), space);
	EQUAL(value, 9 << 8);
	section("a space dies with its creator");
	EQUAL(spaces_destroy(space), 0);
	EQUAL(spaces_switch(within, &value), -ENOENT);
}

static void ends(long argument, long from, long value)
{
	(void)from;
	if (argument)
		*(volatile long *)argument = value;
	_exit((int)value);
}

static void check_ends(void)
{
	long space, value = 7;

	section("a space exits");
	space = spaces_create(ends, TOP, 0);
	EQUAL(spaces_switch(space, &value), -ECHILD);
	EQUAL(value, 7 << 8);
	EQUAL(spaces_switch(space, &value), -EBUSY);
	EQUAL(spaces_destroy(space), 0);
	section("a space crashes");
	space = spaces_create(ends, TOP, 16);
	EQUAL(spaces_switch(space, &value), -ECHILD);
	EQUAL(value & 0x7f, SIGSEGV);
	EQUAL(spaces_destroy(space), 0);
}

/*
 * Switches to a space. Returns the result, or -1 if the switch has changed vector registers or registers that a
 * function preserves.
 */
static long keeps(long to, long *value, unsigned long mark)
{
	unsigned long got[5], want[5];
	long result;

	for (unsigned int i = 0; i < 5; i++)
		want[i] = mark + i;
	__asm__ volatile(
		"movq %[w0], %%xmm0; movq %[w1], %%xmm15; mov %[w2], %%rbx; mov %[w3], %%r14\n\t"
		"mov %[w4], %%r15\n\t"
		"syscall\n\t"
		"movq %%xmm0, %[g0]; movq %%xmm15, %[g1]; mov %%rbx, %[g2]; mov %%r14, %[g3]\n\t"
		"mov %%r15, %[g4]"
		: "=a"(result), "+d"(*value), [g0] "=m"(got[0]), [g1] "=m"(got[1]),
		  [g2] "=m"(got[2]), [g3] "=m"(got[3]), [g4] "=m"(got[4])
		: "0"((long)SPACES_CALL), "D"(1l), "S"(to), [w0] "m"(want[0]), [w1] "m"(want[1]),
		  [w2] "m"(want[2]), [w3] "m"(want[3]), [w4] "m"(want[4])
		: "rcx", "r11", "memory", "rbx", "r14", "r15", "xmm0", "xmm15");
	return memcmp(got, want, sizeof(got)) ? -1 : result;
}

static void registers(long argument, long from, long value)
{
	for (;;)
		if (keeps(from, &value, (unsigned long)argument) != from)
			_exit(1);
}

static void check_registers(long switches)
{
	long space, value = 0, wrong = 0;

	section("each space has registers of its own");
	space = spaces_create(registers, TOP, 0x12345678);
	for (long i = 0; i < switches; i++)
		wrong += keeps(space, &value, 0x87654321 + (unsigned long)i) != space;
	EQUAL(wrong, 0);
	EQUAL(spaces_destroy(space), 0);
}

static void check_errors(void)
{
	long value = 0;

	section("wrong arguments");
	EQUAL(spaces_switch(0, &value), -ENOENT); /* the space itself */
	EQUAL(spaces_switch(-1, &value), -ENOENT);
	EQUAL(spaces_switch(1l << 40, &value), -ENOENT);
	EQUAL(spaces_destroy(0), -ENOENT);
	EQUAL(spaces_call(4, 0, 0, 0, &value), -EINVAL);
	EQUAL(spaces_call(-1, 0, 0, 0, &value), -EINVAL);
	EQUAL(spaces_call(0, 0, 0, 0, &value), -EINVAL);
	EQUAL(spaces_call(0, -1, 0, 0, &value), -EINVAL);
	EQUAL(spaces_call(0, (long)adds, -1, 0, &value), -EINVAL);
}

static volatile long ticks;
static void tick(int signal)
{
	(void)signal;
	ticks++;
}

static void timer(void)
{
	const struct itimerval every = { { 0, 1000 }, { 0, 1000 } };

	setitimer(ITIMER_REAL, &every, NULL);
}

static void ticks_adds(long argument, long from, long value)
{
	timer();
	adds(argument, from, value);
}

/* Tests signals while spaces are created, held, switched to and destroyed. */
static void check_signals(long switches)
{
	const struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };
	long value;

	section("signals");
	sigaction(SIGALRM, &action, NULL);
	timer();
	for (long i = 0; i < switches || ticks < 50; i++) {
		long space = spaces_create(ticks_adds, TOP, 3);

		for (long k = 0; k < 20; k++) {
			value = k;
			EQUAL(spaces_switch(space, &value), space);
			EQUAL(value, k + 3);
		}
		if (i % 10 == 0)
			pause_us(2000);
		EQUAL(spaces_destroy(space), 0);
	}
	EQUAL(waitpid(-1, NULL, __WALL), -1);
}

/* Tests that Linux answers without the executive. */
static void check_plain(void)
{
	long value = 0;

	section("Linux has no such call");
	EQUAL(spaces_create(adds, TOP, 1), -ENOSYS);
	EQUAL(spaces_switch(0, &value), -ENOSYS);
	EQUAL(spaces_destroy(0), -ENOSYS);
}

int main(int argc, char **argv)
{
	long switches = argc > 2 ? atol(argv[1]) : 0, count = argc > 2 ? atol(argv[2]) : 0;

	if (argc < 3)
		return 2;
	first = 1;
	if (!strcmp(argv[1], "plain")) {
		check_plain();
		return sections_finish();
	}
	if (argc > 3) {
		check_signals(switches);
		return sections_finish();
	}
	check_one(switches);
	check_errors();
	check_many(count);
	check_nested();
	check_ends();
	check_registers(switches);
	return sections_finish();
}
