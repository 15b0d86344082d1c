// SPDX-License-Identifier: GPL-2.0
/*
 * Makes random and adversarial kernel calls of several threads in several components. Each episode
 * has its own seed. RANDOM_SEED=n runs episode n alone, with all checks at every step.
 * RANDOM_CALLS=n makes more calls than usual.
 */
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "guests.h"
#include "random.h"

#define CALLS_USUAL 1000000ul
#define CALLS_LONG 2100000ul /* for `make test-all` */
#define EPISODE 3000	     /* calls */
#define COMPONENTS 6
#define FRAMES 448
#define STATUSES 24
#define LIMIT 10 /* seconds of the processor for an episode */

static unsigned long seed, calls, episodes;
static bool replay;
static unsigned long seen[LIMPET_CALL_COUNT][STATUSES]; /* by call and status */

static void say_seed(void)
{
	fprintf(stderr, "\nreplay with RANDOM_SEED=%lu\n", seed);
}

static void hangs(int signal)
{
	(void)signal;
	fprintf(stderr, "an episode hangs\n");
	abort();
}

static void dies(int signal)
{
	say_seed();
	_exit(128 + signal);
}

/* --- the system under test */

static struct built built[COMPONENTS];

static word rights_some(void)
{
	return chance(70) ? LIMPET_ALL : random_next() & LIMPET_ALL;
}

/* Fills the table with all capabilities of a component, in slots that random_slot() prefers. */
static void component_fill(unsigned int i, word ep, word thread)
{
	word table = built[i].table;

	assert_ok(call(CAP_COPY, T, table, table, 1, LIMPET_ALL));
	assert_ok(call(CAP_COPY, T, built[i].page_table, table, 2, LIMPET_ALL));
	assert_ok(call(CAP_COPY, T, built[i].component, table, 3, LIMPET_ALL));
	assert_ok(call(CAP_COPY, T, thread, table, 4, LIMPET_ALL));
	assert_ok(call(CAP_COPY, T, ep, table, 5, LIMPET_ALL));
	assert_ok(call(FRAME_SPLIT, LIMPET_BOOT_FRAMES, 24, table, 6));
	if (i % 2)
		assert_ok(call(CAP_COPY, T, LIMPET_BOOT_CPU, table, 7, LIMPET_ALL));
	for (unsigned int j = 0; j < RESOURCE_ALIEN; j++)
		assert_ok(call(RESOURCE_CREATE, LIMPET_BOOT_CPU, j, table, 31 + j));
	for (unsigned int j = 0; j < COMPONENTS; j++) {
		gate_give(&built[j], 1 + i, table, 8 + j);
		assert_ok(call(CAP_COPY, T, built[j].component, table, 14 + j, rights_some()));
		assert_ok(call(CAP_COPY, T, built[j].table, table, 20 + j, rights_some()));
	}
}

/* Adds objects that are not in use yet. */
static void spares_give(unsigned int i)
{
	static const u8 types[] = { LIMPET_ENDPOINT, LIMPET_THREAD, LIMPET_COMPONENT,
				    LIMPET_PAGE_TABLE, LIMPET_TABLE };
	static const u8 frames[] = { 1, 2, 1, 1, 1 };

	for (unsigned int n = 0; n < countof(types); n++)
		assert_ok(call(FRAME_RETYPE, frames_new(frames[n]), types[n], built[i].table,
			       26 + n));
}

static void peers_introduce(const word *ep, const word *thread)
{
	for (unsigned int i = 0; i < COMPONENTS; i++)
		for (unsigned int j = 0; j < COMPONENTS; j++) {
			assert_ok(call(CAP_COPY, T, ep[j], built[i].table, 40 + j,
				       random_next() & 31));
			assert_ok(call(CAP_COPY, T, thread[j], built[i].table, 50 + j, 31));
		}
}

static void episode_setup(void)
{
	word ep[COMPONENTS], thread[COMPONENTS], first, booter;

	assert_true(machine_boot(1, FRAMES));
	machine.checks = 0;
	guests_enable();
	booter = object_new(LIMPET_ENDPOINT, 1);
	assert_ok(call(ENDPOINT_BIND, booter, LIMPET_BOOT_THREAD));
	for (unsigned int i = 0; i < COMPONENTS; i++) {
		built[i] = component_new(1 + i);
		thread[i] = thread_new(&built[i], 1 + i, i && chance(70) ? ep[below(i)] : booter);
		ep[i] = endpoint_new(thread[i]);
		assert_ok(call(THREAD_URGENCY, thread[i], below(4)));
	}
	for (unsigned int i = 0; i < COMPONENTS; i++)
		component_fill(i, ep[i], thread[i]);
	for (unsigned int i = 0; i < COMPONENTS; i++)
		spares_give(i);
	for (unsigned int i = 0; i < COMPONENTS; i++)
		assert_ok(call(PORT_EXPORT, LIMPET_BOOT_CPU, ep[i], i));
	peers_introduce(ep, thread);
	assert_ok(call(CPU_TIMER, LIMPET_BOOT_CPU, ep[0]));
	first = thread[below(COMPONENTS)];
	if (chance(50)) { /* otherwise the booter's thread runs, too */
		call(THREAD_DISPATCH, first);
	}
	invariants();
}

/* --- steps of threads and the host */

static word random_op(void)
{
	static const word often[] = { LIMPET_CALL_CAP_COPY,	 LIMPET_CALL_CAP_MOVE,
				      LIMPET_CALL_FRAME_SPLIT,	 LIMPET_CALL_FRAME_RETYPE,
				      LIMPET_CALL_PT_MAP,	 LIMPET_CALL_THREAD_DISPATCH,
				      LIMPET_CALL_ENDPOINT_SEND, LIMPET_CALL_THREAD_START };
	word op = chance(40) ? often[below(countof(often))] : below(LIMPET_CALL_COUNT + 1);
	bool hard = op == LIMPET_CALL_CAP_DELETE || op == LIMPET_CALL_CAP_REVOKE ||
		    op == LIMPET_CALL_COMPONENT_STOP;

	return hard && chance(60) ? (word)LIMPET_CALL_CAP_INFO : op;
}

static void random_call(void)
{
	word op = random_op(), words[6];
	long status;

	random_words(op, words);
	/* These calls may have done a part of their work, or have made lower levels. */
	machine.partial = op == LIMPET_CALL_CAP_DELETE || op == LIMPET_CALL_CAP_REVOKE ||
			  op == LIMPET_CALL_PT_MAP;
	machine.checks = !below(256) || replay; /* draws the same numbers when it replays */
	status = call_words(op, words);
	machine.checks = replay;
	calls++;
	if (status == CALL_PENDING || op == LIMPET_CALL_GUEST_SERVE)
		status = status == CALL_PENDING || status == LIMPET_ECRASH ? 0 : status;
	if (op < LIMPET_CALL_COUNT && status <= 0 && status > -STATUSES)
		seen[op][-status]++;
}

/* Returns whether the thread has no caller. An error would end the thread, and perhaps the system. */
static bool at_the_bottom(void)
{
	return cpu->thread->top == cpu->thread->frame;
}

/* Events keep the CPU from idling without end. */
static void random_event(void)
{
	random_guest();
	port_came(random_next() % 6);
	channel_came(random_next() % 4);
	interrupt_came(random_next() % 8);
	fake_processor->time += below(200);
	interrupt();
}

static void random_step(void)
{
	if (cpu->host.pending)
		host_serve();
	if (cpu->idle) {
		random_event();
		return;
	}
	switch (below(64)) {
	case 0:
		if (!at_the_bottom() || !below(100))
			fault(below(32), random_word(), below(32));
		break;
	case 1:
		cpu->thread->regs.mode = !below(at_the_bottom() ? 200 : 20);
		random_event();
		break;
	case 2:
	case 3:
	case 4:
		invoke(random_slot());
		break;
	case 5:
	case 6:
		if (!at_the_bottom() || !below(300))
			give_back(chance(70) ? 0 : -(long)below(20));
		break;
	case 7:
		time_pass(below(100));
		break;
	case 8:
		random_guest();
		break;
	default:
		random_call();
	}
}

static bool over(unsigned int idle)
{
	return idle > 50 || cpu->host.pending & HOST_END || host->ends;
}

static void time_limit(time_t seconds)
{
	const struct itimerval limit = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_PROF, &limit, NULL);
}

static void episode(unsigned long number)
{
	unsigned long end = calls + EPISODE;
	unsigned int idle = 0, steps = 0;

	seed = number;
	episodes++;
	random_seed(number);
	time_limit(replay ? 600 : LIMIT);
	episode_setup();
	while (calls < end && !over(idle)) {
		random_step();
		idle = cpu->idle ? idle + 1 : 0;
		if (++steps % 32 == 0)
			invariants();
	}
	invariants();
}

static unsigned long number_from(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

static void test_random(void **state)
{
	unsigned long wanted =
		number_from("RANDOM_CALLS", getenv("LIMPET_LONG") ? CALLS_LONG : CALLS_USUAL);
	unsigned long number = number_from("RANDOM_SEED", 0);

	(void)state;
	replay = number;
	if (replay)
		episode(number);
	for (number = 1; !replay && calls < wanted; number++)
		episode(number);
	time_limit(0);
	if (getenv("RANDOM_VERBOSE"))
		fprintf(stderr, "%lu episodes, %lu calls\n", episodes, calls);
}

/* The test is useful only if calls also succeed. */
static void test_coverage(void **state)
{
#define CALL_NAME(name, number, words) [number] = #name,
	static const char *const names[] = { LIMPET_CALLS(CALL_NAME) };

	(void)state;
	for (word op = 1; op < LIMPET_CALL_COUNT && !replay; op++) {
		for (unsigned int i = 0; getenv("RANDOM_VERBOSE") && i < STATUSES; i++)
			fprintf(stderr, "%s %lu%s", i ? "" : names[op], seen[op][i],
				i == STATUSES - 1 ? "\n" : "");
		if (!seen[op][0])
			fail_msg("%s was never successful", names[op]);
	}
}

static int failed(void **state)
{
	(void)state;
	time_limit(0);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_random, machine_setup, failed),
		cmocka_unit_test(test_coverage),
	};
	int status;

	__sanitizer_set_death_callback(say_seed);
	signal(SIGPROF, hangs);
	signal(SIGABRT, dies);
	status = RUN("random", tests);
	if (status)
		say_seed();
	return status;
}
