// SPDX-License-Identifier: GPL-2.0
/*
 * Simulates guests that cause events, handler threads that are inside, and a host that executes calls or stops
 * waiting.
 */
#include "guests.h"
#include "random.h"

static struct executive *executive_some(void)
{
	struct executive *x = &cpu->executive[below(LIMPET_EXECUTIVES_MAX)];

	return x->component ? x : executive_find(cpu, LIMPET_GUEST_ANY, NULL);
}

static void random_event(struct guest *g)
{
	word words[6];

	for (unsigned int i = 0; i < 6; i++)
		words[i] = random_word();
	if (g->executive->component)
		guest_event(g, LIMPET_GUEST_CALL + (unsigned int)below(6), words);
}

static long random_status(void)
{
	return chance(50) ? LIMPET_OK : -(long)below(23);
}

/* The handler thread executes in the guest's own thread: it makes a call, or is interrupted. */
static void step_inside(struct guest *g)
{
	word words[6], op = below(LIMPET_CALL_COUNT + 1);
	long what;

	random_words(op, words);
	what = guest_inside(g, op, words);
	if (what == GUEST_TASK && chance(80))
		guest_carried_out(g, random_status());
	if (what == GUEST_MOVE)
		guest_move(g);
}

static void step_handled(struct guest *g)
{
	if (chance(8))
		guest_orphan(g);
	else if (g->wanted)
		guest_carried_out(g, random_status());
	else if (!g->thread->moved && chance(30))
		guest_answers(g, below(LIMPET_GUEST_ANSWERS), random_word());
	else if (!g->thread->moved)
		step_inside(g);
}

void random_guest(void)
{
	struct guest *g = &guests_all[below(GUESTS)];
	struct executive *x = executive_some();

	if (!g->cpu && x)
		guest_begin((unsigned int)(g - guests_all), x);
	if (!g->cpu)
		return;
	if (chance(3))
		guest_remove(g);
	else if (g->thread)
		step_handled(g);
	else
		random_event(g);
}
