// SPDX-License-Identifier: BSD-2-Clause
/*
 * FIFOs on channels of mode FIFO, see <limpet/channel.h>. The component counts from 0 in each generation and needs no
 * word of Linux for that. Until Linux has taken notice of the generation, it has read nothing and written nothing.
 */
#include <runtime/kernel_call.h>
#include <runtime/memory.h>

#include "state.h"

static struct mutex pairing;

/* Locks a FIFO that is created. NULL: it is not. */
static struct fifo *fifo_lock(struct fifo *f)
{
	if (!f)
		return NULL;
	mutex_lock(&f->mutex, LIMPET_NEVER);
	if (likely(f->end.generation))
		return f;
	mutex_unlock(&f->mutex);
	return NULL;
}

/* Locks the FIFO that takes what is put into `number`: the other one of a user pair, or itself. */
static struct fifo *fifo_lock_out(unsigned int number)
{
	struct fifo *f = fifo_of(number);
	struct fifo *other = f ? __atomic_load_n(&f->put_into, __ATOMIC_ACQUIRE) : NULL;

	return fifo_lock(other ? other : f);
}

/* --- generations. The caller has the lock */

static uint32_t generation_next(struct fifo *f)
{
	struct limpet_out out = { 0 };
	uint32_t first;

	limpet_call_channel_state(f->slot, LIMPET_CHANNEL_STOPS, &out);
	first = ((uint32_t)out.w0 + 1) << 16;
	if (f->last && (f->last ^ first) >> 16 == 0)
		return limpet_generation_after(f->last);
	return first == LIMPET_CLAIM(f->end.self->generation) || !first ? first + 1 : first;
}

/* Empties both directions: Linux sees a new generation, and counts from 0, too. */
static void fifo_begin(struct fifo *f)
{
	f->last = generation_next(f);
	LIMPET_SAY(f->end.self->takes, (uint32_t)f->size);
	limpet_end_zero(&f->end);
	f->end.must_notify = false;
	__atomic_store_n(&f->end.generation, f->last, __ATOMIC_SEQ_CST);
	LIMPET_SAY(f->end.self->generation, f->last);
	LIMPET_FENCE();
	fifo_wants_changed(f);
	limpet_call_channel_notify(f->slot);
}

/* --- bytes. The caller has the lock */

/* Returns the bytes that Linux has not read. Nonsense empties the FIFO. */
static uint64_t fifo_unread(struct fifo *f)
{
	uint64_t unread = f->end.head - fifo_claim(f, f->end.generation, &f->end.peer->tail);

	if (likely(unread <= f->end.out_size))
		return unread;
	fifo_begin(f);
	return 0;
}

/* Returns the bytes that Linux has written and the component has not taken. Nonsense empties the FIFO. */
static uint64_t fifo_waiting(struct fifo *f)
{
	uint64_t waiting = fifo_claim(f, f->end.generation, &f->end.peer->head) - f->end.tail;

	if (likely(waiting <= f->end.in_size))
		return waiting;
	fifo_begin(f);
	return 0;
}

static uint64_t fifo_space(struct fifo *f)
{
	uint64_t unread = fifo_unread(f);

	return f->end.out_size && unread < f->size ? f->size - unread : 0;
}

static void fifo_notify_if_wanted(struct fifo *f, uint32_t what)
{
	if (limpet_end_wanted(&f->end, what))
		limpet_call_channel_notify(f->slot);
}

/* Returns how many of `n` bytes at position `at` are before the end of a ring. */
static uint64_t first_piece(uint64_t at, uint64_t size, uint64_t n)
{
	uint64_t rest = size - (at & (size - 1));

	return n < rest ? n : rest;
}

static void fifo_copy_in(struct fifo *f, const char *data, uint64_t n)
{
	struct limpet_end *e = &f->end;
	uint64_t first = first_piece(e->head, e->out_size, n);

	memcpy(e->out + (e->head & (e->out_size - 1)), data, first);
	memcpy(e->out, data + first, n - first);
	limpet_end_head(e, e->head + n);
	fifo_notify_if_wanted(f, LIMPET_SLEEP_DATA);
}

static void fifo_copy_out(struct fifo *f, char *data, uint64_t n)
{
	struct limpet_end *e = &f->end;
	uint64_t first = first_piece(e->tail, e->in_size, n);

	memcpy(data, e->in + (e->tail & (e->in_size - 1)), first);
	memcpy(data + first, e->in, n - first);
	limpet_end_tail(e, e->tail + n);
	fifo_notify_if_wanted(f, LIMPET_SLEEP_SPACE);
}

long fifo_put(unsigned int number, const void *data, unsigned long n)
{
	struct fifo *f = fifo_lock_out(number);
	long status = (long)n;

	if (!f)
		return FIFO_ENODEV;
	if (unlikely(!f->end.out_size))
		status = FIFO_ENODEV;
	else if (n > fifo_space(f))
		status = FIFO_ENOSPC;
	else if (n)
		fifo_copy_in(f, data, n);
	mutex_unlock(&f->mutex);
	return status;
}

long fifo_get(unsigned int number, void *data, unsigned long n)
{
	struct fifo *f = fifo_lock(fifo_of(number));
	uint64_t waiting;

	if (!f)
		return FIFO_ENODEV;
	if (unlikely(!f->end.in_size)) {
		mutex_unlock(&f->mutex);
		return FIFO_ENODEV;
	}
	waiting = fifo_waiting(f);
	n = n < waiting ? n : waiting;
	if (n)
		fifo_copy_out(f, data, n);
	mutex_unlock(&f->mutex);
	return (long)n;
}

static long fifo_ask(struct fifo *f, uint64_t (*ask)(struct fifo *f))
{
	long answer;

	if (!f)
		return FIFO_ENODEV;
	answer = (long)ask(f);
	mutex_unlock(&f->mutex);
	return answer;
}

long fifo_free_bytes(unsigned int number)
{
	return fifo_ask(fifo_lock_out(number), fifo_space);
}

long fifo_unread_bytes(unsigned int number)
{
	return fifo_ask(fifo_lock_out(number), fifo_unread);
}

/* Returns true if a FIFO is created, and the component has taken all bytes that Linux wrote. Needs no lock. */
static bool fifo_is_drained(const struct fifo *f)
{
	const uint32_t generation = __atomic_load_n(&f->end.generation, __ATOMIC_ACQUIRE);
	const uint64_t head = fifo_claim(f, generation, &f->end.peer->head);

	return generation && f->end.in_size &&
	       head == __atomic_load_n(&f->end.tail, __ATOMIC_ACQUIRE);
}

long fifo_used_bytes(unsigned int number)
{
	struct fifo *f = fifo_of(number);

	return f && fifo_is_drained(f) ? 0 : fifo_ask(fifo_lock(f), fifo_waiting);
}

static uint64_t fifo_is_open(struct fifo *f)
{
	return LIMPET_CLAIM(f->end.peer->opened) & 1;
}

long fifo_opened(unsigned int number)
{
	return fifo_ask(fifo_lock_out(number), fifo_is_open);
}

/* --- life */

long fifo_create(unsigned int number, unsigned long size)
{
	struct fifo *f = fifo_of(number);
	long status = 0;

	if (!f)
		return FIFO_ENODEV;
	if (!size)
		return FIFO_EINVAL;
	if (size > f->max)
		return FIFO_ENOMEM;
	mutex_lock(&f->mutex, LIMPET_NEVER);
	if (f->end.generation) {
		status = FIFO_EBUSY;
	} else {
		f->size = size;
		/* The component can have crashed while it waited. */
		LIMPET_SAY(f->end.self->sleeping, 0u);
		fifo_begin(f);
	}
	mutex_unlock(&f->mutex);
	return status;
}

static void watch_again(struct fifo *f)
{
	mutex_lock(&f->mutex, LIMPET_NEVER);
	fifo_wants_changed(f);
	mutex_unlock(&f->mutex);
}

/* The caller has the lock `pairing`. */
static void pair_end(struct fifo *f)
{
	struct fifo *put = f->reads_for ? f->reads_for : f;
	struct fifo *get = put->put_into;

	if (!get)
		return;
	__atomic_store_n(&put->put_into, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&get->reads_for, NULL, __ATOMIC_SEQ_CST);
	watch_again(get);
}

static long fifo_end(struct fifo *f)
{
	if (!fifo_lock(f))
		return FIFO_ENODEV;
	__atomic_store_n(&f->end.generation, 0, __ATOMIC_SEQ_CST);
	LIMPET_SAY(f->end.self->generation, 0u);
	fifo_wants_changed(f);
	limpet_call_channel_notify(f->slot);
	mutex_unlock(&f->mutex);
	return 0;
}

long fifo_destroy(unsigned int number)
{
	struct fifo *f = fifo_of(number);
	long status;

	mutex_lock(&pairing, LIMPET_NEVER);
	status = fifo_end(f);
	if (!status)
		pair_end(f);
	mutex_unlock(&pairing);
	return status;
}

long fifo_resize(unsigned int number, unsigned long size)
{
	struct fifo *f = fifo_lock(fifo_of(number));
	long status = 0;

	if (!f)
		return FIFO_ENODEV;
	if (!size || size > f->max) {
		status = size ? FIFO_ENOMEM : FIFO_EINVAL;
	} else {
		f->size = size;
		fifo_begin(f);
	}
	mutex_unlock(&f->mutex);
	return status;
}

long fifo_flush(unsigned int number)
{
	struct fifo *f = fifo_lock_out(number);

	if (!f)
		return FIFO_ENODEV;
	fifo_begin(f);
	mutex_unlock(&f->mutex);
	return 0;
}

static bool is_created(const struct fifo *f)
{
	return f && __atomic_load_n(&f->end.generation, __ATOMIC_SEQ_CST);
}

static bool is_paired(const struct fifo *f)
{
	return f->put_into || f->reads_for;
}

long fifo_make_pair(unsigned int get, unsigned int put)
{
	struct fifo *to = fifo_of(get), *from = fifo_of(put);
	long status = FIFO_EINVAL;

	mutex_lock(&pairing, LIMPET_NEVER);
	if (!is_created(to) || !is_created(from)) {
		status = FIFO_ENODEV;
	} else if (to != from && !is_paired(to) && !is_paired(from)) {
		__atomic_store_n(&to->reads_for, from, __ATOMIC_SEQ_CST);
		__atomic_store_n(&from->put_into, to, __ATOMIC_RELEASE);
		watch_again(to);
		status = 0;
	}
	mutex_unlock(&pairing);
	return status;
}

long fifo_watch(unsigned int number, bool watched)
{
	struct fifo *f = fifo_of(number);

	if (!f)
		return FIFO_ENODEV;
	mutex_lock(&pairing, LIMPET_NEVER);
	__atomic_store_n(&f->ignored, !watched, __ATOMIC_SEQ_CST);
	watch_again(f);
	if (f->put_into)
		watch_again(f->put_into);
	mutex_unlock(&pairing);
	return 0;
}
