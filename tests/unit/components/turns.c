// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <cmocka.h>

#include <guest/numbers.h>

#include "chance.h"
#include "points.h"
#include "turns.h"

#define STACK (64 << 10)
#define HELD (50 * SIM_MS)
#define PATH_AT 0x9000ul

enum state { ABSENT, RUNS, WAITS, SLEEPS };

static struct guest {
	enum state state;
	ucontext_t context;
	uint8_t *stack;
	sim_program *program;
	char path[64];
	uint64_t used, wake_at, signal_at, break_time;
	unsigned int heir;
	bool inside, started, woken, slept, breaks, killed, ending;
} guests[SIM_GUESTS];

static ucontext_t linux_context;
static unsigned int current, chance_of, last_program;
static uint64_t slice_end;

uint64_t sim_idle, sim_slice;
unsigned int sim_switches;

static void to_linux(void)
{
	swapcontext(&guests[current].context, &linux_context);
}

/* Called at each memory access of the executive. */
void fake_point(void)
{
	if (chance_of && current < SIM_GUESTS && guests[current].inside && !random_below(chance_of))
		to_linux();
}

/* --- the kernel */

static bool wait_over(const struct guest *g)
{
	return g->woken || g->killed || fake_now >= g->wake_at ||
	       (g->signal_at && fake_now >= g->signal_at + HELD);
}

static long guest_wait(struct guest *g, word deadline, bool held, word wake)
{
	if (wake && (wake > SIM_GUESTS || guests[wake - 1].state == ABSENT))
		return LIMPET_ENOENT;
	if (wake)
		guests[wake - 1].woken = true;
	if (g->killed || g->ending)
		return LIMPET_ESTATE;
	assert_true(held || deadline != LIMPET_NEVER);
	g->wake_at = deadline;
	g->state = WAITS;
	to_linux();
	g->state = RUNS;
	if (g->woken) {
		g->woken = false;
		return LIMPET_OK;
	}
	if (g->killed)
		return LIMPET_ESTATE;
	if (fake_now >= deadline)
		return LIMPET_ETIME;
	g->signal_at = 0;
	return LIMPET_EINTR;
}

static bool kernel(word call, const word *in, struct limpet_out *out, long *status)
{
	struct guest *g = in[0] < SIM_GUESTS && guests[in[0]].state ? &guests[in[0]] : NULL;

	switch (call) {
	case LIMPET_CALL_GUEST_WAIT:
		*status = guest_wait(&guests[current], in[0], in[2], in[3]);
		return true;
	case LIMPET_CALL_GUEST_WAKE:
		*status = g ? LIMPET_OK : LIMPET_ENOENT;
		if (g)
			g->woken = true;
		return true;
	case LIMPET_CALL_GUEST_BREAK:
		*status = g && (!in[2] || guests[in[2] - 1].state) ? LIMPET_OK : LIMPET_ENOENT;
		if (*status == LIMPET_OK) {
			g->break_time = in[1];
			g->heir = (unsigned int)in[2];
		}
		return true;
	case LIMPET_CALL_GUEST_INFO:
		if (in[1] != LIMPET_GUEST_USE)
			return false;
		*status = g ? LIMPET_OK : LIMPET_ENOENT;
		if (g)
			*out = (struct limpet_out){ g->used, g->state == SLEEPS, 0 };
		return true;
	}
	return false;
}

/* --- a guest's own thread */

static struct executive_answer event(unsigned int kind, word w0, word w2)
{
	struct executive_answer answer;

	guests[current].inside = true;
	answer = fake_event(kind, current, w0, 0, w2, 0);
	guests[current].inside = false;
	return answer;
}

static void break_report(struct guest *g)
{
	if (!g->breaks && fake_now < g->break_time)
		return;
	g->breaks = g->slept = false;
	g->break_time = LIMPET_NEVER;
	event(LIMPET_GUEST_BREAK, 0, 0);
}

static void __attribute__((noreturn)) guest_exit(void)
{
	struct guest *g = &guests[current];

	g->ending = true;
	event(LIMPET_GUEST_END, 0, 0);
	g->state = ABSENT;
	to_linux();
	abort();
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void sim_compute(uint64_t ticks)
{
	struct guest *g = &guests[current];
	uint64_t part;

	while (ticks) {
		if (g->killed)
			guest_exit();
		break_report(g);
		part = min(ticks, min(slice_end, g->break_time) - fake_now);
		if (fake_now >= slice_end) {
			to_linux();
			continue;
		}
		sim_switches += last_program != current;
		last_program = current;
		fake_now += part;
		g->used += part;
		ticks -= part;
	}
}

void sim_sleep(uint64_t ticks)
{
	struct guest *g = &guests[current];

	g->wake_at = fake_now + ticks;
	g->slept = g->breaks = true;
	g->state = SLEEPS;
	if (g->heir && guests[g->heir - 1].state)
		guests[g->heir - 1].woken = true;
	to_linux();
	g->state = RUNS;
	if (g->killed)
		guest_exit();
	break_report(g);
}

long sim_call(word number, word w1, word w2, word w3)
{
	struct executive_answer answer;

	guests[current].inside = true;
	do
		answer = fake_call(current, number, w1, w2, w3, 0, 0, 0);
	while (answer.operation == LIMPET_GUEST_AGAIN); /* no signal has a handler */
	guests[current].inside = false;
	if (guests[current].killed)
		guest_exit();
	break_report(&guests[current]);
	return answer.operation == LIMPET_GUEST_SERVE ? (long)answer.value : -38;
}

static void guest_main(void)
{
	struct guest *g = &guests[current];

	event(LIMPET_GUEST_BEGIN, 100 + current, 0);
	fake_put_text(PATH_AT + 64 * current, g->path);
	sim_call(GUEST_CALL_execve, PATH_AT + 64 * current, 0, 0);
	event(LIMPET_GUEST_EXEC, 100 + current, 0);
	g->program(current);
	guest_exit();
}

/* --- Linux */

void sim_reset(uint32_t number, unsigned int chance)
{
	for (unsigned int id = 0; id < SIM_GUESTS; id++)
		free(guests[id].stack);
	memset(guests, 0, sizeof(guests));
	seed = number;
	chance_of = chance;
	current = last_program = SIM_GUESTS;
	sim_idle = sim_switches = 0;
	sim_slice = 4 * SIM_MS;
	fake_kernel = kernel;
}

unsigned int sim_begin(const char *path, sim_program *program)
{
	unsigned int id = 0;
	struct guest *g;

	while (guests[id].state != ABSENT)
		id++;
	assert_true(id < SIM_GUESTS);
	g = &guests[id];
	free(g->stack);
	*g = (struct guest){ .state = RUNS,
			     .program = program,
			     .break_time = LIMPET_NEVER,
			     .stack = malloc(STACK) };
	strncpy(g->path, path, sizeof(g->path) - 1);
	getcontext(&g->context);
	g->context.uc_stack.ss_sp = g->stack;
	g->context.uc_stack.ss_size = STACK;
	makecontext(&g->context, guest_main, 0);
	return id;
}

static bool can_run(const struct guest *g)
{
	if (g->state == SLEEPS)
		return g->killed || fake_now >= g->wake_at;
	return g->state == RUNS || (g->state == WAITS && wait_over(g));
}

/* Returns a guest that can run, or SIM_GUESTS. */
static unsigned int pick(void)
{
	unsigned int can[SIM_GUESTS], count = 0;

	for (unsigned int id = 0; id < SIM_GUESTS; id++)
		if (can_run(&guests[id]))
			can[count++] = id;
	return count ? can[random_below(count)] : SIM_GUESTS;
}

/* Advances the time until an event occurs. Returns false if no event can occur. */
static bool idle(uint64_t until)
{
	uint64_t next = LIMPET_NEVER;

	for (unsigned int id = 0; id < SIM_GUESTS; id++) {
		if (guests[id].state == ABSENT)
			continue;
		next = min(next, guests[id].wake_at);
		if (guests[id].signal_at)
			next = min(next, guests[id].signal_at + HELD);
	}
	next = min(next, until);
	if (next == LIMPET_NEVER)
		return false;
	sim_idle += next - fake_now;
	fake_now = next;
	return true;
}

static bool all_ended(void)
{
	for (unsigned int id = 0; id < SIM_GUESTS; id++)
		if (guests[id].state != ABSENT)
			return false;
	return true;
}

bool sim_run(uint64_t until)
{
	while (fake_now < until && !all_ended()) {
		current = pick();
		if (current == SIM_GUESTS) {
			if (!idle(until))
				break;
			continue;
		}
		slice_end = min(fake_now + 1 + random_below((uint32_t)sim_slice), until);
		swapcontext(&linux_context, &guests[current].context);
	}
	current = SIM_GUESTS;
	return !all_ended();
}

void sim_signal(unsigned int id)
{
	guests[id].signal_at = fake_now;
}

void sim_kill(unsigned int id)
{
	guests[id].killed = true;
}

uint64_t sim_used(unsigned int id)
{
	return guests[id].used;
}
