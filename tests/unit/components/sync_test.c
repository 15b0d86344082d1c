// SPDX-License-Identifier: BSD-2-Clause
/*
 * lib/sync in all orders of its threads' memory accesses, as far as so many preemptions make them;
 * then what each function refuses. This file is instrumented, too: the uncontended paths are in it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <import/sched.h>
#include <sync/barrier.h>
#include <sync/condition.h>
#include <sync/flags.h>
#include <sync/mutex.h>
#include <sync/queue.h>
#include <sync/rwlock.h>
#include <sync/semaphore.h>

#include "model.h"
#include "points.h"

#define QUIET __attribute__((no_sanitize("thread"), noinline))
#define SOON 1000ul /* a deadline: it comes whenever that does harm */

/* What the threads of a run share. */
static struct {
	struct mutex mutex, second;
	struct condition condition;
	struct semaphore semaphore;
	struct rwlock rwlock;
	struct barrier barrier;
	struct flags flags;
	struct queue queue;
	char memory[QUEUE_BYTES(2, sizeof(uint64_t))];
	uint64_t looking; /* bit n: thread n is in a function of lib/sync */
	unsigned int inside, readers, done, late, signals, there;
	uint64_t seen;
} s;

static QUIET void begin(void)
{
	memset(&s, 0, sizeof(s));
}

static QUIET void count(unsigned int *what, int by)
{
	*what += (unsigned int)by;
}

static void run(const struct model *model)
{
	unsigned long runs = model_run(model);

	print_message("    %lu orders\n", runs);
	assert_true(runs > 50);
}

/* Mutex */

static QUIET void enter(unsigned int id)
{
	MODEL_CHECK(!s.inside);
	s.inside = id;
}

static QUIET void leave(unsigned int id)
{
	MODEL_CHECK(s.inside == id);
	s.inside = 0;
}

static QUIET void critical(unsigned int id)
{
	enter(id);
	fake_point();
	leave(id);
}

/* A call that takes or gives something, and its status. */
#define CALL(call)                                                                                 \
	({                                                                                         \
		long status_;                                                                      \
                                                                                                   \
		s.looking |= 1ul << limpet_thread_id();                                            \
		status_ = (call);                                                                  \
		s.looking &= ~(1ul << limpet_thread_id());                                         \
		status_;                                                                           \
	})

/*
 * Whoever waits lends its importance to the owner; or to one who is about to look, and lends it on
 * or gives it back then.
 */
static QUIET void mutex_watch(void)
{
	unsigned int owner = s.mutex.owner & MUTEX_OWNER;

	for (unsigned int id = 1; owner && id <= MODEL_THREADS; id++)
		if (s.mutex.waiters & 1ul << id && model_suspended(id))
			MODEL_CHECK(model_lends(id, owner - 1, s.looking));
}

static QUIET void mutex_end(void)
{
	MODEL_CHECK(!s.mutex.owner && !s.mutex.waiters);
	MODEL_CHECK(!s.second.owner && !s.second.waiters);
}

static QUIET void mutex_thread(unsigned int id)
{
	for (int i = 0; i < 2; i++) {
		MODEL_CHECK(CALL(mutex_lock(&s.mutex, LIMPET_NEVER)) == LIMPET_OK);
		critical(id);
		MODEL_CHECK(CALL(mutex_unlock(&s.mutex)) == LIMPET_OK);
	}
}

static void test_mutex(void **state)
{
	static const struct model two = { 2, 3, NULL, begin, mutex_thread, mutex_watch, mutex_end };
	static const uint8_t priority[] = { 0, 1, 2, 3 };
	static const struct model three = { 3,		 2,	   priority, begin, mutex_thread,
					    mutex_watch, mutex_end };

	(void)state;
	run(&two);
	run(&three);
}

/* One of the threads gives up when its time comes: nobody else must wait for ever. */
static QUIET void mutex_timed_thread(unsigned int id)
{
	long status = CALL(mutex_lock(&s.mutex, id == 2 ? SOON : LIMPET_NEVER));

	if (id == 2 && status == LIMPET_ETIME)
		return;
	MODEL_CHECK(status == LIMPET_OK);
	critical(id);
	MODEL_CHECK(CALL(mutex_unlock(&s.mutex)) == LIMPET_OK);
}

static void test_mutex_timed(void **state)
{
	static const uint8_t priority[] = { 0, 1, 3, 2 };
	static const struct model model = {
		3, 2, priority, begin, mutex_timed_thread, mutex_watch, mutex_end
	};

	(void)state;
	run(&model);
}

/* 1 has the second and wants the first of two; 2 has the first; 3 wants the second. */
static QUIET void nested_thread(unsigned int id)
{
	if (id != 2)
		MODEL_CHECK(CALL(mutex_lock(&s.second, LIMPET_NEVER)) == LIMPET_OK);
	if (id != 3) {
		MODEL_CHECK(CALL(mutex_lock(&s.mutex, LIMPET_NEVER)) == LIMPET_OK);
		critical(id);
		MODEL_CHECK(CALL(mutex_unlock(&s.mutex)) == LIMPET_OK);
	}
	if (id != 2)
		MODEL_CHECK(CALL(mutex_unlock(&s.second)) == LIMPET_OK);
}

static QUIET void nested_watch(void)
{
	unsigned int owner = s.second.owner & MUTEX_OWNER;

	mutex_watch();
	if (owner && s.second.waiters & 1ul << 3 && model_suspended(3))
		MODEL_CHECK(model_lends(3, owner - 1, s.looking));
}

static void test_mutex_nested(void **state)
{
	static const uint8_t priority[] = { 0, 1, 2, 3 };
	static const struct model model = {
		3, 2, priority, begin, nested_thread, nested_watch, mutex_end
	};

	(void)state;
	run(&model);
}

/* Recursive, with a ceiling, and tried. */
static QUIET void ceiling_begin(void)
{
	begin();
	s.mutex.recursive = true;
	s.mutex.ceiling = 9;
}

static QUIET void ceiling_thread(unsigned int id)
{
	bool timed = id == 3;

	if (id == 2) {
		long status = CALL(mutex_try(&s.mutex));

		MODEL_CHECK(status == LIMPET_OK || status == LIMPET_EBUSY);
		if (status)
			return;
	} else if (CALL(mutex_lock(&s.mutex, timed ? SOON : LIMPET_NEVER))) {
		MODEL_CHECK(timed && model_priority(id) == id);
		return;
	}
	MODEL_CHECK(model_priority(id) == 9);
	MODEL_CHECK(CALL(mutex_lock(&s.mutex, LIMPET_NEVER)) == LIMPET_OK);
	MODEL_CHECK(CALL(mutex_try(&s.mutex)) == LIMPET_OK);
	critical(id);
	MODEL_CHECK(CALL(mutex_unlock(&s.mutex)) == LIMPET_OK);
	MODEL_CHECK(CALL(mutex_unlock(&s.mutex)) == LIMPET_OK);
	MODEL_CHECK(model_priority(id) == 9 && mutex_mine(&s.mutex));
	MODEL_CHECK(CALL(mutex_unlock(&s.mutex)) == LIMPET_OK);
	MODEL_CHECK(model_priority(id) == id);
}

static void test_mutex_ceiling(void **state)
{
	static const uint8_t priority[] = { 0, 1, 2, 3 };
	static const struct model model = {
		3, 1, priority, ceiling_begin, ceiling_thread, mutex_watch, mutex_end
	};

	(void)state;
	run(&model);
}

/* Semaphore */

static QUIET void semaphore_thread(unsigned int id)
{
	if (id == 3) {
		MODEL_CHECK(semaphore_up(&s.semaphore) == LIMPET_OK);
		MODEL_CHECK(semaphore_up(&s.semaphore) == LIMPET_OK);
		return;
	}
	if (semaphore_down(&s.semaphore, id == 2 ? SOON : LIMPET_NEVER) == LIMPET_OK)
		count(&s.done, 1);
	else
		MODEL_CHECK(id == 2);
}

static QUIET void semaphore_end(void)
{
	MODEL_CHECK(s.done + s.semaphore.value == 2 && s.done && !s.semaphore.waiters);
}

static QUIET void semaphore_both_thread(unsigned int id)
{
	if (id == 3) {
		semaphore_thread(id);
		return;
	}
	MODEL_CHECK(semaphore_down(&s.semaphore, LIMPET_NEVER) == LIMPET_OK);
	count(&s.done, 1);
}

static void test_semaphore(void **state)
{
	static const struct model timed = {
		3, 2, NULL, begin, semaphore_thread, NULL, semaphore_end
	};
	static const uint8_t priority[] = { 0, 3, 2, 1 };
	static const struct model both = {
		3, 2, priority, begin, semaphore_both_thread, NULL, semaphore_end
	};

	(void)state;
	run(&timed);
	run(&both);
}

/* Condition: 1 and 2 each want one thing; 2 may give up. */
static QUIET void condition_take(unsigned int id, uint64_t deadline)
{
	long status = LIMPET_OK;

	MODEL_CHECK(CALL(mutex_lock(&s.mutex, LIMPET_NEVER)) == LIMPET_OK);
	while (!s.there && status == LIMPET_OK) {
		status = condition_wait(&s.condition, &s.mutex, deadline);
		MODEL_CHECK(mutex_mine(&s.mutex));
		if (status == LIMPET_OK)
			MODEL_CHECK(s.signals-- > 0); /* never without a signal */
	}
	if (s.there) {
		s.there--;
		s.done++;
	} else {
		MODEL_CHECK(status == LIMPET_ETIME && deadline == SOON);
	}
	MODEL_CHECK(CALL(mutex_unlock(&s.mutex)) == LIMPET_OK);
	(void)id;
}

static QUIET void condition_give(bool all)
{
	for (int i = 0; i < 2; i++) {
		MODEL_CHECK(CALL(mutex_lock(&s.mutex, LIMPET_NEVER)) == LIMPET_OK);
		s.there += all ? 2 : 1;
		s.signals += all ? 2 : 1;
		if (all)
			MODEL_CHECK(condition_broadcast(&s.condition, &s.mutex) == LIMPET_OK);
		else
			MODEL_CHECK(condition_signal(&s.condition, &s.mutex) == LIMPET_OK);
		MODEL_CHECK(CALL(mutex_unlock(&s.mutex)) == LIMPET_OK);
		if (all)
			return;
	}
}

static QUIET void signal_thread(unsigned int id)
{
	if (id == 3)
		condition_give(false);
	else
		condition_take(id, LIMPET_NEVER);
}

static QUIET void broadcast_thread(unsigned int id)
{
	if (id == 3)
		condition_give(true);
	else
		condition_take(id, id == 2 ? SOON : LIMPET_NEVER);
}

static QUIET void condition_end(void)
{
	mutex_end();
	MODEL_CHECK(!s.condition.waiters && s.done + s.there == 2 && s.done);
}

static void test_condition(void **state)
{
	static const uint8_t priority[] = { 0, 1, 2, 3 };
	static const struct model signal = {
		3, 1, priority, begin, signal_thread, NULL, condition_end
	};
	static const struct model broadcast = {
		3, 1, priority, begin, broadcast_thread, NULL, condition_end
	};

	(void)state;
	run(&signal);
	run(&broadcast);
}

/* Read-write lock */

static QUIET void reads(unsigned int id, uint64_t deadline)
{
	long status = CALL(rwlock_read(&s.rwlock, deadline));

	if (status) {
		MODEL_CHECK(status == LIMPET_ETIME && deadline == SOON);
		return;
	}
	count(&s.readers, 1);
	MODEL_CHECK(!s.inside);
	fake_point();
	MODEL_CHECK(!s.inside);
	count(&s.readers, -1);
	MODEL_CHECK(CALL(rwlock_read_end(&s.rwlock)) == LIMPET_OK);
	(void)id;
}

static QUIET void writes(unsigned int id, uint64_t deadline)
{
	long status = CALL(rwlock_write(&s.rwlock, deadline));

	if (status) {
		MODEL_CHECK(status == LIMPET_ETIME && deadline == SOON);
		return;
	}
	MODEL_CHECK(!s.readers);
	critical(id);
	MODEL_CHECK(!s.readers);
	MODEL_CHECK(CALL(rwlock_write_end(&s.rwlock)) == LIMPET_OK);
}

/* Who waits for the writer lends to it, or to somebody who is about to look. */
static QUIET void rwlock_watch(void)
{
	const struct rwlock *l = &s.rwlock;

	for (unsigned int id = 1; l->writer && id <= MODEL_THREADS; id++)
		if (l->waiters & 1ul << id && model_suspended(id))
			MODEL_CHECK(model_lends(id, l->writer - 1, s.looking));
}

static QUIET void rwlock_end(void)
{
	MODEL_CHECK(!s.rwlock.readers && !s.rwlock.writer && !s.rwlock.waiters);
}

static QUIET void rwlock_thread(unsigned int id)
{
	if (id == 1)
		writes(id, LIMPET_NEVER);
	else
		reads(id, LIMPET_NEVER);
	if (id == 2)
		writes(id, LIMPET_NEVER);
}

static QUIET void rwlock_timed_thread(unsigned int id)
{
	if (id == 1)
		writes(id, SOON);
	else
		reads(id, id == 2 ? SOON : LIMPET_NEVER);
	if (id == 3)
		writes(id, LIMPET_NEVER);
}

static void test_rwlock(void **state)
{
	static const uint8_t priority[] = { 0, 3, 1, 2 };
	static const struct model plain = {
		3, 2, priority, begin, rwlock_thread, rwlock_watch, rwlock_end
	};
	static const struct model timed = {
		3, 1, priority, begin, rwlock_timed_thread, rwlock_watch, rwlock_end
	};

	(void)state;
	run(&plain);
	run(&timed);
}

/* Barrier */

static QUIET void barrier_begin(void)
{
	begin();
	s.barrier.total = 3;
}

static QUIET void barrier_thread(unsigned int id)
{
	for (unsigned int i = 1; i <= 2; i++) {
		long status;

		count(&s.there, 1);
		status = barrier_wait(&s.barrier, LIMPET_NEVER);
		MODEL_CHECK(status == 0 || status == 1);
		MODEL_CHECK(s.there >= 3 * i);
		count(&s.done, (int)status);
	}
	(void)id;
}

static QUIET void barrier_end(void)
{
	MODEL_CHECK(s.done == 2 && (uint32_t)s.barrier.state == 0 && !s.barrier.waiters);
}

/* 2 may give up, and then comes again. */
static QUIET void barrier_timed_thread(unsigned int id)
{
	long status = barrier_wait(&s.barrier, id == 2 ? SOON : LIMPET_NEVER);

	if (id == 2 && status == LIMPET_ETIME)
		status = barrier_wait(&s.barrier, LIMPET_NEVER);
	MODEL_CHECK(status == 0 || status == 1);
	count(&s.done, (int)status);
}

static QUIET void barrier_timed_end(void)
{
	MODEL_CHECK(s.done == 1 && s.barrier.state == 1ul << 32 && !s.barrier.waiters);
}

static void test_barrier(void **state)
{
	static const struct model plain = { 3,	  1,	      NULL, barrier_begin, barrier_thread,
					    NULL, barrier_end };
	static const struct model timed = {
		3, 2, NULL, barrier_begin, barrier_timed_thread, NULL, barrier_timed_end
	};

	(void)state;
	run(&plain);
	run(&timed);
}

/* Event flags: 1 takes one of two, 2 takes both or gives up; 3 sets one more for 1 in the end. */
static QUIET void flags_thread(unsigned int id)
{
	uint64_t got = 0;
	long status;

	if (id == 1) {
		MODEL_CHECK(flags_wait(&s.flags, 9, FLAGS_ANY | FLAGS_CLEAR, &got, LIMPET_NEVER) ==
			    LIMPET_OK);
		MODEL_CHECK(got && !(got & ~9ul));
	} else if (id == 2) {
		status = flags_wait(&s.flags, 3, FLAGS_ALL | FLAGS_CLEAR, &got, SOON);
		MODEL_CHECK(status == LIMPET_OK ? got == 3 : status == LIMPET_ETIME);
		MODEL_CHECK(flags_wait(&s.flags, 4, FLAGS_ALL, &got, LIMPET_NEVER) == LIMPET_OK);
		MODEL_CHECK(got == 4);
	} else {
		MODEL_CHECK(flags_set(&s.flags, 1) == LIMPET_OK);
		MODEL_CHECK(flags_set(&s.flags, 2) == LIMPET_OK);
		MODEL_CHECK(flags_set(&s.flags, 3 | 4 | 8) == LIMPET_OK);
	}
}

static QUIET void flags_end(void)
{
	MODEL_CHECK(s.flags.set & 4 && !s.flags.waiters);
}

static void test_flags(void **state)
{
	static const struct model model = { 3, 1, NULL, begin, flags_thread, NULL, flags_end };

	(void)state;
	run(&model);
}

/* Queue: 1 sends two messages and 2 one through room for two, 3 receives. */
static QUIET void queue_begin(void)
{
	begin();
	MODEL_CHECK(!queue_init(&s.queue, s.memory, sizeof(s.memory), sizeof(uint64_t)));
}

static QUIET void queue_thread(unsigned int id)
{
	uint64_t message;

	for (unsigned int i = 0; id < 3 && i < 3 - id; i++) {
		message = id * 2 + i;
		MODEL_CHECK(queue_send(&s.queue, &message, id, LIMPET_NEVER) == LIMPET_OK);
	}
	for (unsigned int i = 0; id == 3 && i < 3; i++) {
		long priority = queue_receive(&s.queue, &message, LIMPET_NEVER);

		MODEL_CHECK(priority == (long)message / 2);
		MODEL_CHECK(!(s.seen & 1ul << message));
		MODEL_CHECK(!(message & 1) || s.seen & 1ul << (message - 1)); /* in order */
		s.seen |= 1ul << message;
	}
}

static QUIET void queue_end(void)
{
	MODEL_CHECK(s.seen == 0x1c && s.queue.room.value == 2 && !queue_length(&s.queue));
	MODEL_CHECK(!s.queue.mutex.owner && !s.queue.mutex.waiters && !s.queue.levels);
}

/* 1 sends more than there is room for, and may give up; 2 receives one, and may, too. */
static QUIET void queue_timed_thread(unsigned int id)
{
	uint64_t message;

	for (message = 1; id == 1 && message <= 3; message++)
		if (queue_send(&s.queue, &message, 0, SOON) == LIMPET_OK)
			s.there++;
	if (id == 2 && queue_receive(&s.queue, &message, SOON) == 0)
		s.done++;
}

static QUIET void queue_timed_end(void)
{
	MODEL_CHECK(s.done + queue_length(&s.queue) == s.there && s.there >= 2);
	MODEL_CHECK(s.queue.room.value + queue_length(&s.queue) == 2);
}

static void test_queue(void **state)
{
	static const struct model plain = { 3, 1, NULL, queue_begin, queue_thread, NULL, queue_end };
	static const struct model timed = {
		2, 2, NULL, queue_begin, queue_timed_thread, NULL, queue_timed_end
	};

	(void)state;
	run(&plain);
	run(&timed);
}

/* One thread alone: what is refused, and what is not waited for. */
static QUIET void errors_mutex(void)
{
	struct mutex m = { 0 }, high = { .ceiling = 5, .recursive = true };

	MODEL_CHECK(mutex_unlock(&m) == LIMPET_ESTATE);
	MODEL_CHECK(mutex_try(&m) == LIMPET_OK);
	MODEL_CHECK(mutex_try(&m) == LIMPET_ESTATE);
	MODEL_CHECK(mutex_lock(&m, 0) == LIMPET_ESTATE);
	MODEL_CHECK(mutex_unlock(&m) == LIMPET_OK);
	m.owner = 3; /* thread 2, which is not there */
	MODEL_CHECK(mutex_try(&m) == LIMPET_EBUSY);
	MODEL_CHECK(mutex_lock(&m, SOON) == LIMPET_ETIME && !m.waiters);
	MODEL_CHECK(mutex_unlock(&m) == LIMPET_ESTATE && m.owner == 3);
	m = (struct mutex){ .recursive = true, .owner = ~0u << 8 | mutex_self() };
	MODEL_CHECK(mutex_lock(&m, 0) == LIMPET_ERANGE && mutex_try(&m) == LIMPET_ERANGE);
	MODEL_CHECK(mutex_unlock(&high) == LIMPET_ESTATE);
	MODEL_CHECK(sched_priority(0, 6) == 1);
	MODEL_CHECK(mutex_lock(&high, 0) == LIMPET_ERANGE && mutex_try(&high) == LIMPET_ERANGE);
	MODEL_CHECK(!high.owner && sched_priority(0, 5) == 6);
	MODEL_CHECK(mutex_lock(&high, 0) == LIMPET_OK && mutex_unlock(&high) == LIMPET_OK);
	MODEL_CHECK(model_priority(1) == 5);
	high.owner = 3;
	MODEL_CHECK(mutex_try(&high) == LIMPET_EBUSY && mutex_lock(&high, SOON) == LIMPET_ETIME);
}

static QUIET void errors_condition(void)
{
	struct mutex m = { .recursive = true };
	struct condition c = { 0 };

	MODEL_CHECK(condition_wait(&c, &m, SOON) == LIMPET_ESTATE);
	MODEL_CHECK(condition_signal(&c, &m) == LIMPET_ESTATE);
	MODEL_CHECK(condition_broadcast(&c, &m) == LIMPET_ESTATE);
	MODEL_CHECK(mutex_lock(&m, 0) == LIMPET_OK);
	MODEL_CHECK(condition_signal(&c, &m) == LIMPET_OK);
	MODEL_CHECK(condition_broadcast(&c, &m) == LIMPET_OK);
	MODEL_CHECK(condition_wait(&c, &m, SOON) == LIMPET_ETIME && !c.waiters && mutex_mine(&m));
	MODEL_CHECK(mutex_lock(&m, 0) == LIMPET_OK);
	MODEL_CHECK(condition_wait(&c, &m, SOON) == LIMPET_ESTATE);
}

static QUIET void errors_rwlock(void)
{
	struct rwlock l = { 0 };

	MODEL_CHECK(rwlock_read_end(&l) == LIMPET_ESTATE && rwlock_write_end(&l) == LIMPET_ESTATE);
	MODEL_CHECK(rwlock_read(&l, 0) == LIMPET_OK && rwlock_read(&l, 0) == LIMPET_ESTATE);
	MODEL_CHECK(rwlock_write(&l, 0) == LIMPET_ESTATE && !l.writer);
	MODEL_CHECK(rwlock_read_end(&l) == LIMPET_OK && rwlock_write(&l, 0) == LIMPET_OK);
	MODEL_CHECK(rwlock_write(&l, 0) == LIMPET_ESTATE && rwlock_read(&l, 0) == LIMPET_ESTATE);
	MODEL_CHECK(rwlock_write_end(&l) == LIMPET_OK && !l.readers && !l.writer);
	l.readers = 1ul << 2;
	MODEL_CHECK(rwlock_read(&l, 0) == LIMPET_OK && rwlock_write(&l, SOON) == LIMPET_ESTATE);
	MODEL_CHECK(rwlock_read_end(&l) == LIMPET_OK && rwlock_write(&l, SOON) == LIMPET_ETIME);
	l.writer = 3;
	MODEL_CHECK(rwlock_read(&l, SOON) == LIMPET_ETIME && l.readers == 1ul << 2);
	MODEL_CHECK(rwlock_write(&l, SOON) == LIMPET_ETIME && l.writer == 3 && !l.waiters);
}

static QUIET void errors_queue(void)
{
	_Alignas(8) char memory[QUEUE_BYTES(3, 4)];
	uint32_t message = 7;
	struct queue q;

	MODEL_CHECK(queue_init(&q, memory, sizeof(memory), 0) == LIMPET_ERANGE);
	MODEL_CHECK(queue_init(&q, memory, 1ul << 20, QUEUE_SIZE_MAX + 1ul) == LIMPET_ERANGE);
	MODEL_CHECK(queue_init(&q, memory, QUEUE_SLOT(4) - 1, 4) == LIMPET_ERANGE);
	MODEL_CHECK(queue_init(&q, memory, QUEUE_BYTES(65536, 4), 4) == LIMPET_ERANGE);
	MODEL_CHECK(queue_init(&q, memory + 1, sizeof(memory) - 1, 4) == LIMPET_EALIGN);
	MODEL_CHECK(queue_init(&q, memory, sizeof(memory), 4) == LIMPET_OK);
	MODEL_CHECK(queue_receive(&q, &message, SOON) == LIMPET_ETIME && message == 7);
	MODEL_CHECK(queue_send(&q, &message, QUEUE_PRIORITIES, 0) == LIMPET_ERANGE);
	for (message = 0; message < 3; message++)
		MODEL_CHECK(queue_send(&q, &message, message == 1 ? 31 : 0, 0) == LIMPET_OK);
	MODEL_CHECK(queue_send(&q, &message, 0, SOON) == LIMPET_ETIME && queue_length(&q) == 3);
	MODEL_CHECK(queue_receive(&q, &message, 0) == 31 && message == 1);
	MODEL_CHECK(queue_receive(&q, &message, 0) == 0 && message == 0);
	MODEL_CHECK(queue_send(&q, &message, 0, 0) == LIMPET_OK);
	MODEL_CHECK(queue_receive(&q, &message, 0) == 0 && message == 2);
	MODEL_CHECK(queue_receive(&q, &message, 0) == 0 && message == 0 && !q.levels);
}

static QUIET void errors_others(void)
{
	struct semaphore full = { .value = UINT32_MAX }, none = { 0 };
	struct barrier nobody = { 0 }, two = { .total = 2 }, alone = { .total = 1 };
	struct flags f = { .set = 5 };
	uint64_t got = 0;

	MODEL_CHECK(semaphore_up(&full) == LIMPET_ERANGE && full.value == UINT32_MAX);
	MODEL_CHECK(!semaphore_try(&none) && semaphore_down(&none, SOON) == LIMPET_ETIME);
	MODEL_CHECK(barrier_wait(&nobody, SOON) == LIMPET_ERANGE);
	MODEL_CHECK(barrier_wait(&two, SOON) == LIMPET_ETIME && !two.state);
	MODEL_CHECK(barrier_wait(&alone, SOON) == 1 && barrier_wait(&alone, SOON) == 1);
	MODEL_CHECK(flags_wait(&f, 0, FLAGS_ANY, &got, SOON) == LIMPET_ERANGE);
	MODEL_CHECK(flags_wait(&f, 1, 4, &got, SOON) == LIMPET_ERANGE);
	MODEL_CHECK(flags_wait(&f, 3, FLAGS_ALL, &got, SOON) == LIMPET_ETIME && !got);
	MODEL_CHECK(flags_wait(&f, 7, FLAGS_ANY, &got, 0) == LIMPET_OK && got == 5 && f.set == 5);
	MODEL_CHECK(flags_clear(&f, 6) == 4 && f.set == 1);
}

/* The scheduler has crashed: each function that needs it says so, and nothing is half done. */
static QUIET void errors_scheduler(void)
{
	struct mutex m = { .owner = 3 }, high = { .ceiling = 5 };
	struct semaphore none = { .waiters = 4 };
	struct condition c = { .waiters = 4 };
	struct rwlock l = { .readers = 4 };
	struct barrier b = { .total = 2 };
	struct flags f = { .waiters = 4 };
	uint64_t got;

	model_refusal = LIMPET_ECRASH;
	MODEL_CHECK(mutex_lock(&m, LIMPET_NEVER) == LIMPET_ECRASH && m.owner == 3 && !m.waiters);
	MODEL_CHECK(mutex_lock(&high, 0) == LIMPET_ECRASH && mutex_try(&high) == LIMPET_ECRASH);
	m = (struct mutex){ .waiters = 4 };
	MODEL_CHECK(mutex_lock(&m, 0) == LIMPET_OK);
	MODEL_CHECK(condition_signal(&c, &m) == LIMPET_ECRASH && c.waiters == 4);
	MODEL_CHECK(condition_broadcast(&c, &m) == LIMPET_ECRASH);
	MODEL_CHECK(condition_wait(&c, &m, LIMPET_NEVER) == LIMPET_ECRASH && mutex_mine(&m));
	MODEL_CHECK(mutex_unlock(&m) == LIMPET_ECRASH && !m.owner);
	high = (struct mutex){ .ceiling = 5, .owner = mutex_self(), .before = 1 };
	MODEL_CHECK(mutex_unlock(&high) == LIMPET_ECRASH && !high.owner);
	MODEL_CHECK(semaphore_down(&none, LIMPET_NEVER) == LIMPET_ECRASH && none.waiters == 4);
	MODEL_CHECK(semaphore_up(&none) == LIMPET_ECRASH && none.value == 1);
	MODEL_CHECK(rwlock_write(&l, LIMPET_NEVER) == LIMPET_ECRASH && !l.writer);
	l.writer = 3;
	MODEL_CHECK(rwlock_read(&l, LIMPET_NEVER) == LIMPET_ECRASH && l.readers == 4);
	MODEL_CHECK(rwlock_write(&l, LIMPET_NEVER) == LIMPET_ECRASH && l.writer == 3);
	MODEL_CHECK(barrier_wait(&b, LIMPET_NEVER) == LIMPET_ECRASH && !b.state && !b.waiters);
	b = (struct barrier){ .total = 1, .waiters = 4 };
	MODEL_CHECK(barrier_wait(&b, LIMPET_NEVER) == LIMPET_ECRASH);
	MODEL_CHECK(flags_set(&f, 1) == LIMPET_ECRASH && f.set == 1);
	MODEL_CHECK(flags_wait(&f, 2, FLAGS_ANY, &got, LIMPET_NEVER) == LIMPET_ECRASH);
}

static QUIET void errors_thread(unsigned int id)
{
	(void)id;
	errors_mutex();
	errors_condition();
	errors_rwlock();
	errors_queue();
	errors_others();
	errors_scheduler();
}

static void test_errors(void **state)
{
	static const struct model model = { 1, 0, NULL, begin, errors_thread, NULL, NULL };

	(void)state;
	assert_int_equal(model_run(&model), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mutex),	     cmocka_unit_test(test_mutex_timed),
		cmocka_unit_test(test_mutex_nested), cmocka_unit_test(test_mutex_ceiling),
		cmocka_unit_test(test_semaphore),    cmocka_unit_test(test_condition),
		cmocka_unit_test(test_rwlock),	     cmocka_unit_test(test_barrier),
		cmocka_unit_test(test_flags),	     cmocka_unit_test(test_queue),
		cmocka_unit_test(test_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
