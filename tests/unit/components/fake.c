// SPDX-License-Identifier: BSD-2-Clause
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <runtime/component.h>

#include "fake.h"
#include "points.h"

#define STACK (64 << 10)

struct fake_thread {
	ucontext_t context;
	char *stack;
	enum limpet_thread_state state;
	unsigned int urgency;
	bool receiving; /* in a receive, or the scheduler in one */
	uint64_t bits;
	unsigned int notice; /* not delivered to the scheduler yet */
	uint64_t ran;
};

static struct fake_thread threads[LIMPET_THREADS_MAX];
static unsigned int notice_order[LIMPET_THREADS_MAX], notices;
static unsigned int current, preempted;
static bool idle;
static bool in_kernel = true;
static uint64_t deadline;
static uint64_t hold; /* deadline of an early event, for which the next dispatch waits; 0: unset */
static const struct fake_setup *setup;
static ucontext_t outside;

/* The name that the composer defines. */
extern struct limpet_info fake_info asm("__limpet_info");
struct limpet_info fake_info;
long fake_status;
unsigned int fake_misses[LIMPET_THREADS_MAX];
const char *fake_failure;
uint64_t fake_now, fake_points;

unsigned int limpet_thread_id(void)
{
	return current;
}

unsigned int fake_current(void)
{
	return current;
}

uint64_t fake_ran(unsigned int id)
{
	return threads[id].ran;
}

uint64_t limpet_time(void)
{
	return fake_now;
}

void fake_fail(const char *why)
{
	in_kernel = true;
	if (!fake_failure)
		fake_failure = why;
	setcontext(&outside);
	abort();
}

static void timer_check(void);

static void kernel_enter(void)
{
	in_kernel = true;
}

static void kernel_leave(void)
{
	in_kernel = false;
}

void fake_point(void)
{
	if (in_kernel || current == FAKE_SCHEDULER || !setup->preempt)
		return;
	in_kernel = true;
	timer_check(); /* a deadline that had already passed when it was set */
	if (++fake_points > setup->points)
		fake_fail("threads run in circles");
	setup->preempt();
	in_kernel = false;
}

void fake_hold(bool hold)
{
	if (hold)
		kernel_enter();
	else
		kernel_leave();
}

/* Switches to another thread. Returns when the current one continues. */
static void switch_to(unsigned int id)
{
	unsigned int from = current;

	idle = false;
	if (id == from)
		return;
	current = id;
	swapcontext(&threads[from].context, &threads[id].context);
}

void fake_switch(unsigned int id)
{
	bool before = in_kernel;

	kernel_enter();
	switch_to(id);
	if (!before)
		kernel_leave();
}

/* Returns the thread that represents a thread in the scheduler: itself, or that of its nested scheduler. */
static unsigned int stand_in(unsigned int id)
{
	return setup->part >> id & 1 ? FAKE_NESTED : id;
}

static bool pending(unsigned int id)
{
	return threads[id].bits || (id == FAKE_SCHEDULER && notices);
}

static void notice_add(unsigned int id, enum limpet_notice notice)
{
	if (!threads[id].notice)
		notice_order[notices++] = id;
	threads[id].notice = notice;
}

static word notice_get(void)
{
	unsigned int id = notice_order[0];
	word notice;

	if (!notices)
		return 0;
	memmove(notice_order, notice_order + 1, --notices * sizeof(notice_order[0]));
	notice = LIMPET_NOTICE(threads[id].notice, id);
	threads[id].notice = 0;
	return notice;
}

/* Switches by urgency after an arrival at the endpoint of `id`. */
static void wake(unsigned int id)
{
	struct fake_thread *t = &threads[id];
	bool scheduler = id == FAKE_SCHEDULER;

	if (!t->receiving || (id == current && !idle))
		return;
	t->state = LIMPET_THREAD_READY;
	if (!scheduler)
		notice_add(id, LIMPET_NOTICE_READY);
	if (idle ? t->urgency : scheduler || t->urgency > threads[current].urgency) {
		if (scheduler)
			preempted = idle ? 0 : stand_in(current) + 1;
		switch_to(id);
	} else if (!scheduler) {
		wake(FAKE_SCHEDULER);
	}
}

/* Switches to the scheduler, because the current thread cannot continue. */
static void scheduler_switch(void)
{
	threads[FAKE_SCHEDULER].state = LIMPET_THREAD_READY;
	switch_to(FAKE_SCHEDULER);
}

static void post(unsigned int id, uint64_t bits)
{
	threads[id].bits |= bits;
	wake(id);
}

static void timer_check(void)
{
	if (deadline != LIMPET_NEVER && fake_now >= deadline) {
		deadline = LIMPET_NEVER;
		post(FAKE_SCHEDULER, LIMPET_EVENT_TIMER);
	}
}

void fake_event(unsigned int id)
{
	bool before = in_kernel;

	kernel_enter();
	post(id, 1);
	if (!before)
		kernel_leave();
}

void fake_stop(unsigned int id)
{
	bool before = in_kernel;

	kernel_enter();
	notice_add(id, LIMPET_NOTICE_STOPPED);
	wake(FAKE_SCHEDULER);
	if (!before)
		kernel_leave();
}

void fake_time_pass(uint64_t ticks)
{
	bool before = in_kernel;

	kernel_enter();
	fake_now += ticks;
	threads[current].ran += ticks;
	timer_check();
	if (!before)
		kernel_leave();
}

void fake_run_for(uint64_t ticks)
{
	bool before = in_kernel;

	kernel_enter();
	for (;;) {
		uint64_t step = ticks;

		while (fake_now >= deadline) /* it may have passed again while others ran */
			timer_check();
		if (!ticks)
			break;
		if (deadline - fake_now < ticks)
			step = deadline - fake_now;
		fake_now += step;
		threads[current].ran += step;
		ticks -= step;
	}
	if (!before)
		kernel_leave();
}

static bool all_ended(void)
{
	for (unsigned int id = FAKE_SCHEDULER + 1; id <= setup->threads; id++)
		if (threads[id].state != LIMPET_THREAD_DEAD)
			return false;
	return true;
}

/* Waits, while no thread can run, for an event or until the timer is due. */
static void run_idle(void)
{
	idle = true;
	hold = 0;
	if (setup->idle && setup->idle())
		return;
	if (deadline == LIMPET_NEVER || all_ended())
		fake_fail(NULL);
	hold = deadline;
	if (fake_now + setup->early < deadline)
		fake_now = deadline - setup->early;
	deadline = LIMPET_NEVER;
	threads[FAKE_SCHEDULER].bits |= fake_now < hold ? LIMPET_EVENT_EARLY : 0;
	post(FAKE_SCHEDULER, LIMPET_EVENT_TIMER);
}

static void result_take(unsigned int self, struct limpet_out *out)
{
	*out = (struct limpet_out){ .w0 = threads[self].bits };
	threads[self].receiving = false;
	threads[self].bits = 0;
	if (self == FAKE_SCHEDULER) {
		out->w1 = notice_get();
		out->w2 = preempted;
		preempted = 0;
	}
}

static long call_dispatch(const word *in, struct limpet_out *out)
{
	unsigned int id = (unsigned int)(in[0] - LIMPET_SLOT_THREADS), self = current;

	if (id >= LIMPET_THREADS_MAX || threads[id].state != LIMPET_THREAD_READY)
		return LIMPET_ESTATE;
	if (in[1])
		deadline = in[1];
	if (self != FAKE_SCHEDULER) {
		switch_to(id);
		return LIMPET_OK;
	}
	if (!pending(self)) {
		threads[self].receiving = true;
		fake_now = fake_now > hold ? fake_now : hold;
		hold = 0;
		switch_to(id);
	}
	result_take(self, out);
	return LIMPET_OK;
}

static long call_receive(const word *in, struct limpet_out *out)
{
	unsigned int self = current;
	struct fake_thread *t = &threads[self];

	if (!pending(self) && in[2] & LIMPET_NOWAIT)
		return LIMPET_EEMPTY;
	if (in[1])
		deadline = in[1];
	if (!pending(self)) {
		t->state = LIMPET_THREAD_WAITING;
		t->receiving = true;
		if (self == FAKE_SCHEDULER) {
			while (t->state == LIMPET_THREAD_WAITING)
				run_idle();
		} else {
			notice_add(self, LIMPET_NOTICE_WAITING);
			scheduler_switch();
		}
	}
	result_take(self, out);
	return LIMPET_OK;
}

/* Spoils the words that a call does not define. */
static void out_spoil(struct limpet_out *out)
{
	*out = (struct limpet_out){ ~0ul, ~0ul, ~0ul };
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	long status = LIMPET_OK;

	fake_point();
	kernel_enter();
	if (current == FAKE_SCHEDULER && setup->turn) {
		fake_now += setup->turn;
		timer_check();
	}
	out_spoil(out);
	if (op == LIMPET_CALL(LIMPET_CALL_THREAD_DISPATCH))
		status = call_dispatch(in, out);
	else if (op == LIMPET_CALL(LIMPET_CALL_ENDPOINT_RECEIVE))
		status = call_receive(in, out);
	else if (op == LIMPET_CALL(LIMPET_CALL_ENDPOINT_SEND))
		post(in[0] > LIMPET_SLOT_ENDPOINTS ? (unsigned int)(in[0] - LIMPET_SLOT_ENDPOINTS)
						   : FAKE_SCHEDULER,
		     in[1]);
	else if (op == LIMPET_CALL(LIMPET_CALL_THREAD_URGENCY))
		threads[in[0] - LIMPET_SLOT_THREADS].urgency = (unsigned int)in[1];
	else if (op == LIMPET_CALL(LIMPET_CALL_THREAD_INFO))
		out->w0 = threads[in[0] - LIMPET_SLOT_THREADS].ran;
	else if (op == LIMPET_CALL(LIMPET_CALL_THREAD_MISSED))
		fake_misses[in[0] - LIMPET_SLOT_THREADS]++;
	kernel_leave();
	fake_point();
	return status;
}

static void thread_end(void)
{
	kernel_enter();
	threads[current].state = LIMPET_THREAD_DEAD;
	if (stand_in(current) != current)
		switch_to(FAKE_NESTED);
	notice_add(current, LIMPET_NOTICE_DEAD);
	scheduler_switch();
	abort();
}

static void thread_begin(void)
{
	kernel_leave();
	if (current == FAKE_SCHEDULER)
		component_main(&fake_info);
	else
		setup->thread(current);
	thread_end();
}

static void thread_make(unsigned int id)
{
	struct fake_thread *t = &threads[id];

	*t = (struct fake_thread){ .stack = t->stack ? t->stack : malloc(STACK) };
	t->state = LIMPET_THREAD_READY;
	getcontext(&t->context);
	t->context.uc_stack.ss_sp = t->stack;
	t->context.uc_stack.ss_size = STACK;
	makecontext(&t->context, thread_begin, 0);
}

void fake_restart(unsigned int id)
{
	bool before = in_kernel;
	uint64_t ran = threads[id].ran;

	kernel_enter();
	thread_make(id);
	threads[id].ran = ran;
	notice_add(id, LIMPET_NOTICE_READY);
	wake(FAKE_SCHEDULER);
	if (!before)
		kernel_leave();
}

static struct limpet_info_thread fake_threads[LIMPET_THREADS_MAX];

static void info_make(void)
{
	fake_info = (struct limpet_info){ .thread = FAKE_SCHEDULER,
					  .threads = setup->threads,
					  .index = FAKE_COMPONENT,
					  .ticks_per_ms = 1000,
					  .args = setup->args };
	for (unsigned int i = 0; i < setup->args; i++)
		fake_info.arg[i] = setup->arg[i];
	fake_info.thread_of = fake_threads;
	for (unsigned int id = 1; id <= setup->threads; id++)
		fake_threads[id] = (struct limpet_info_thread){
			.component = setup->component	    ? setup->component[id]
				     : id == FAKE_SCHEDULER ? FAKE_COMPONENT
							    : FAKE_COMPONENT + 1,
			.priority = setup->priority[id],
			.scheduler = id == FAKE_SCHEDULER    ? 0
				     : setup->part >> id & 1 ? setup->component[FAKE_NESTED]
							     : FAKE_COMPONENT,
			.flags = setup->spare >> id & 1 ? LIMPET_THREAD_SPARE : 0
		};
}

void fake_run(const struct fake_setup *with)
{
	volatile bool started = false;

	setup = with;
	notices = preempted = 0;
	idle = false;
	in_kernel = true;
	deadline = LIMPET_NEVER;
	hold = 0;
	fake_failure = NULL;
	fake_now = 1000;
	fake_points = 0;
	memset(fake_misses, 0, sizeof(fake_misses));
	info_make();
	for (unsigned int id = 1; id <= with->threads; id++)
		thread_make(id);
	fake_status = component_init(&fake_info);
	getcontext(&outside);
	if (started || fake_status)
		return;
	started = true;
	current = FAKE_SCHEDULER;
	setcontext(&threads[FAKE_SCHEDULER].context);
}
