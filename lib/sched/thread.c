// SPDX-License-Identifier: BSD-2-Clause
/* Serves the calls that create and end threads. A component's spare threads were made at boot. */
#include <export/sched.h>

#include <sched/budget.h>
#include <sched/setup.h>
#include <sched/thread.h>

/* Keeps the spare threads of a component in a circular list. Creation uses the first one. */
void spare_add(struct sched *s, unsigned int id)
{
	struct thread *t = &s->thread[id];
	uint16_t *first = &s->spare[t->component];

	if (!*first) {
		t->next = t->before = *first = (uint16_t)id;
		return;
	}
	t->next = *first;
	t->before = s->thread[*first].before;
	s->thread[t->before].next = s->thread[t->next].before = (uint16_t)id;
}

void spare_remove(struct sched *s, unsigned int id)
{
	struct thread *t = &s->thread[id];
	uint16_t *first = &s->spare[t->component];

	s->thread[t->before].next = t->next;
	s->thread[t->next].before = t->before;
	if (*first == id)
		*first = t->next == id ? NONE : t->next;
}

static unsigned int spare_find(const struct sched *s, word badge)
{
	return badge && badge <= LIMPET_COMPONENTS_MAX ? s->spare[badge - 1] : NONE;
}

static void thread_create(struct sched *s, unsigned int id, unsigned int priority)
{
	struct thread *t = &s->thread[id];

	spare_remove(s, id);
	t->priority = (uint8_t)priority;
	thread_reset(s, id);
	t->joiner = NONE;
	t->detached = t->worked = false;
	thread_ready(s, id, time_now(s));
}

long sched_serve_create(word badge, word entry, word argument, word priority)
{
	unsigned int id, spare;

	if (priority > LIMPET_URGENCY_MAX)
		return LIMPET_ERANGE;
	id = enter(&sched);
	if (!id)
		return LIMPET_ESTATE;
	spare = spare_find(&sched, badge);
	if (!spare) {
		leave(&sched, id);
		return LIMPET_EQUOTA;
	}
	sched.thread[spare].entry = entry;
	sched.thread[spare].value = argument;
	thread_create(&sched, spare, priority ? (unsigned int)priority : sched.thread[id].priority);
	run_next(&sched, id);
	return (long)spare;
}

/* Frees a thread that has ended and whose value is no longer needed. */
static void thread_free(struct sched *s, unsigned int id)
{
	struct thread *t = &s->thread[id];

	t->joiner = NONE;
	t->state = t->spare ? STATE_SPARE : STATE_DEAD;
	if (t->spare)
		spare_add(s, id);
}

long sched_serve_exit(word badge, word value)
{
	unsigned int id = enter(&sched);
	struct thread *t = &sched.thread[id];

	(void)badge;
	if (!id)
		return LIMPET_ESTATE;
	if (t->budget && !t->given)
		budget_set(&sched, id, 0, 0);
	t->value = value;
	wait_prepare(&sched, id, STATE_EXITED, LIMPET_NEVER);
	if (t->detached)
		thread_free(&sched, id);
	else if (t->joiner)
		wait_end(&sched, t->joiner);
	wait(&sched, id);
	return LIMPET_OK;
}

long sched_serve_work(word badge, struct sched_work_results *out)
{
	unsigned int id = enter(&sched);
	struct thread *t = &sched.thread[id];

	(void)badge;
	if (!id)
		return LIMPET_ESTATE;
	if (!t->spare) {
		leave(&sched, id);
		return LIMPET_ESTATE;
	}
	if (t->worked) {
		wait_prepare(&sched, id, STATE_SPARE, LIMPET_NEVER);
		spare_add(&sched, id);
		wait(&sched, id);
	} else {
		leave(&sched, id);
	}
	t->worked = true;
	out->entry = t->entry;
	out->argument = t->value;
	return LIMPET_OK;
}

/* Returns the error of joining or detaching a thread, or LIMPET_OK if that is allowed. */
static long join_check(const struct sched *s, unsigned int id, unsigned int of)
{
	const struct thread *t = &s->thread[of];

	if (!of || t->state == STATE_SPARE)
		return LIMPET_ENOENT;
	if (t->detached || (t->joiner && t->joiner != id))
		return LIMPET_ESTATE;
	return LIMPET_OK;
}

/* Returns how the thread ended, with its value in *out; LIMPET_ETIME: it has not ended. */
static long join_take(struct sched *s, unsigned int of, struct sched_join_results *out)
{
	const struct thread *t = &s->thread[of];

	if (t->state == STATE_DEAD)
		return LIMPET_ECRASH;
	if (t->state != STATE_EXITED)
		return LIMPET_ETIME;
	out->value = t->value;
	thread_free(s, of);
	return LIMPET_OK;
}

/* Waits for the end of a thread. The caller has entered, and has left when this returns. */
static long join(struct sched *s, unsigned int id, unsigned int of, word deadline,
		 struct sched_join_results *out)
{
	struct thread *t = &s->thread[of];
	long status = join_take(s, of, out);

	if (status == LIMPET_ETIME) {
		t->joiner = (uint16_t)id;
		wait_prepare(s, id, STATE_JOINING, deadline);
		wait(s, id);
		if (!enter(s))
			return LIMPET_ESTATE;
		t->joiner = NONE;
		status = join_take(s, of, out);
	}
	leave(s, id);
	return status;
}

long sched_serve_join(word badge, word thread, word deadline, struct sched_join_results *out)
{
	unsigned int id = enter(&sched), of = thread_named(&sched, badge, thread, id);
	long status = join_check(&sched, id, of);

	if (!id)
		return LIMPET_ESTATE;
	if (!status && of == id)
		status = LIMPET_ESTATE;
	if (!status)
		return join(&sched, id, of, deadline, out);
	leave(&sched, id);
	return status;
}

long sched_serve_detach(word badge, word thread)
{
	unsigned int id = enter(&sched), of = thread_named(&sched, badge, thread, id);
	long status = join_check(&sched, NONE, of);

	if (!id)
		return LIMPET_ESTATE;
	if (!status) {
		sched.thread[of].detached = true;
		if (sched.thread[of].state == STATE_EXITED)
			thread_free(&sched, of);
	}
	leave(&sched, id);
	return status;
}
