// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <cmocka.h>

#include <runtime/component.h>

#include <import/sched.h>

#include "model.h"
#include "points.h"

#define STACK (32 << 10)
#define DEPTH 4096
#define OBJECTS 32

struct thread {
	jmp_buf go;
	ucontext_t start;
	char *stack;
	bool started, ended, suspended, timed, token;
	unsigned int owner;
	word object; /* object that it waits for; 0: a thread */
	unsigned long since;
	uint8_t priority;
	long result;
};

static struct thread threads[MODEL_THREADS + 1];
static const struct model *model;
static unsigned int current, left; /* current thread; preemptions left */
static bool running;		   /* true: a thread runs; false: the model runs */
static unsigned long clock_now;
static struct {
	word object;
	unsigned long at;
} resumed[OBJECTS]; /* time of the last resume of each object */
static ucontext_t outside;

static uint8_t taken[DEPTH], options[DEPTH];
static unsigned int depth, known; /* choices of this run; choices that are given */
static const char *failure;

long model_refusal;

unsigned int limpet_thread_id(void)
{
	return current;
}

uint64_t limpet_time(void)
{
	return clock_now++;
}

bool model_waits(unsigned int id, const void *object)
{
	return threads[id].suspended && threads[id].object == (word)object;
}

uint8_t model_priority(unsigned int id)
{
	return threads[id].priority;
}

bool model_lends(unsigned int id, unsigned int to, uint64_t looking)
{
	for (unsigned int i = 0; i <= MODEL_THREADS && id != to; i++, id = threads[id].owner)
		if (!threads[id].suspended)
			return looking & 1ul << id;
	return id == to;
}

void model_fail(const char *why)
{
	running = false;
	if (!failure)
		failure = why;
	setcontext(&outside);
	abort();
}

static unsigned int choose(unsigned int of)
{
	if (of < 2)
		return 0;
	if (depth == DEPTH)
		model_fail("a run without end");
	if (depth >= known)
		taken[depth] = 0;
	options[depth] = (uint8_t)of;
	return taken[depth++];
}

/* Prepares the next run: changes the last choice that has another option. */
static bool next_run(void)
{
	while (depth && taken[depth - 1] + 1u == options[depth - 1])
		depth--;
	if (!depth)
		return false;
	taken[depth - 1]++;
	known = depth;
	return true;
}

static void switch_to(unsigned int id)
{
	unsigned int from = current;
	struct thread *t = &threads[id];

	if (t->suspended) { /* the model chose its timeout */
		t->suspended = false;
		t->result = LIMPET_ETIME;
	}
	if (id == from)
		return;
	current = id;
	if (_setjmp(threads[from].go))
		return;
	if (t->started)
		_longjmp(t->go, 1);
	t->started = true;
	setcontext(&t->start);
}

/* Lets another thread continue. It must do so if the current one cannot. */
static void schedule(bool preemption)
{
	unsigned int who[MODEL_THREADS], n = 0, choice;

	if (!threads[current].ended && !threads[current].suspended)
		who[n++] = current;
	for (unsigned int id = 1; id <= model->threads; id++) {
		const struct thread *t = &threads[id];

		if (!t->ended && (id != current || t->suspended) && (!t->suspended || t->timed))
			who[n++] = id;
	}
	if (n) {
		choice = choose(n);
		left -= preemption && choice;
		switch_to(who[choice]);
	}
	for (unsigned int id = 1; !n && id <= model->threads; id++)
		if (!threads[id].ended)
			model_fail("a thread waits for ever");
	if (!n)
		setcontext(&outside);
}

void fake_point(void)
{
	if (!running)
		return;
	running = false;
	if (model->watch)
		model->watch();
	if (left)
		schedule(true);
	running = true;
}

static void thread_main(void)
{
	running = true;
	model->thread(current);
	running = false;
	threads[current].ended = true;
	schedule(false);
	abort();
}

static void thread_make(unsigned int id)
{
	struct thread *t = &threads[id];

	*t = (struct thread){ .stack = t->stack ? t->stack : malloc(STACK),
			      .priority = model->priority ? model->priority[id] : 1 };
	getcontext(&t->start);
	t->start.uc_stack.ss_sp = t->stack;
	t->start.uc_stack.ss_size = STACK;
	makecontext(&t->start, thread_main, 0);
}

static void run_once(void)
{
	volatile bool started = false;

	depth = 0;
	left = model->preemptions;
	clock_now = 0;
	model_refusal = 0;
	memset(resumed, 0, sizeof(resumed));
	for (unsigned int id = 1; id <= model->threads; id++)
		thread_make(id);
	model->begin();
	getcontext(&outside);
	if (started)
		return;
	started = true;
	current = 0;
	threads[0].ended = true;
	schedule(false);
}

unsigned long model_run(const struct model *with)
{
	unsigned long runs = 0;
	char text[200] = "";

	model = with;
	failure = NULL;
	known = 0;
	do {
		run_once();
		runs++;
		current = 0;
		if (!failure && with->end)
			with->end();
		if (failure) {
			for (unsigned int i = 0; i < depth && i < 60; i++)
				snprintf(text + strlen(text), sizeof(text) - strlen(text), " %u",
					 taken[i]);
			fail_msg("%s, in run %lu, choices%s", failure, runs, text);
		}
	} while (next_run());
	return runs;
}

/* --- the scheduler */

static void resume(unsigned int id)
{
	struct thread *t = &threads[id];

	if (!t->suspended)
		t->token = true;
	else
		t->result = LIMPET_OK;
	t->suspended = false;
}

/* Returns a pointer to the time of an object's last resume, which is 0 before the first resume. */
static unsigned long *resumed_at(word object)
{
	unsigned int i = 0;

	while (resumed[i].object && resumed[i].object != object)
		i++;
	if (i == OBJECTS - 1)
		model_fail("too many objects");
	resumed[i].object = object;
	return &resumed[i].at;
}

static long suspend(word object, word since, word owner, word deadline)
{
	struct thread *t = &threads[current];

	fake_point();
	running = false;
	if (model_refusal) {
		running = true;
		return model_refusal;
	}
	if (t->token || (object && *resumed_at(object) > since)) {
		t->token = false;
		t->result = LIMPET_OK;
	} else {
		t->suspended = true;
		t->timed = deadline != LIMPET_NEVER;
		t->owner = (unsigned int)owner;
		t->object = object;
		t->since = clock_now++;
		schedule(false);
	}
	running = true;
	return t->result;
}

long sched_suspend_for(word owner, word deadline)
{
	return suspend(0, 0, owner, deadline);
}

long sched_suspend_on(word object, word since, word owner, word deadline)
{
	return suspend(object, since, owner, deadline);
}

long sched_resume(word thread)
{
	fake_point();
	running = false;
	if (!model_refusal) {
		resume((unsigned int)thread);
		schedule(false);
	}
	running = true;
	return model_refusal;
}

static unsigned int best_of(word object)
{
	unsigned int best = 0;

	for (unsigned int id = 1; id <= model->threads; id++) {
		const struct thread *t = &threads[id], *b = &threads[best];

		if (!t->suspended || t->object != object)
			continue;
		if (!best || t->priority > b->priority ||
		    (t->priority == b->priority && t->since < b->since))
			best = id;
	}
	return best;
}

/* Makes the other waiters lend their importance to the resumed thread instead of the caller. */
static void lend_on(word object, unsigned int best)
{
	for (unsigned int id = 1; id <= model->threads; id++)
		if (threads[id].suspended && threads[id].object == object && id != best &&
		    threads[id].owner == current)
			threads[id].owner = best;
}

static long resume_some(word object, bool all)
{
	unsigned int best = 0;
	long status = LIMPET_ENOENT;

	fake_point();
	running = false;
	if (!model_refusal) {
		*resumed_at(object) = clock_now++;
		while ((status || all) && (best = best_of(object))) {
			if (!all)
				lend_on(object, best);
			resume(best);
			status = LIMPET_OK;
		}
		schedule(false);
	}
	running = true;
	return model_refusal ? model_refusal : status;
}

long sched_resume_on(word object)
{
	return resume_some(object, false);
}

long sched_resume_all(word object)
{
	return resume_some(object, true);
}

/* Fails, because lib/sync has no bitmaps of threads. */
long sched_resume_best(word threads, word first)
{
	(void)first;
	(void)threads;
	model_fail("resume_best");
	return LIMPET_ENOENT;
}

long sched_priority(word thread, word priority)
{
	long before = threads[current].priority;

	if (thread || model_refusal)
		return model_refusal ? model_refusal : LIMPET_ENOENT;
	if (priority)
		threads[current].priority = (uint8_t)priority;
	return before;
}
