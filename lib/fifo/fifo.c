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
static struct fifo *fifo_lock(struct fifo *fifo)
{
	if (!fifo)
		return NULL;
	mutex_lock(&fifo->mutex, LIMPET_NEVER);
	if (likely(fifo->end.generation))
		return fifo;
	mutex_unlock(&fifo->mutex);
	return NULL;
}

/* Locks the FIFO that takes what is put into `number`: the other one of a user pair, or itself. */
static struct fifo *fifo_lock_out(unsigned int number)
{
	struct fifo *fifo = fifo_of(number);
	struct fifo *other = fifo ? __atomic_load_n(&fifo->put_into, __ATOMIC_ACQUIRE) : NULL;

	return fifo_lock(other ? other : fifo);
}

/* --- generations. The caller has the lock */

static uint32_t generation_next(struct fifo *fifo)
{
	struct limpet_out out = { 0 };
	uint32_t first;

	limpet_call_channel_state(fifo->slot, LIMPET_CHANNEL_STOPS, &out);
	first = ((uint32_t)out.w0 + 1) << 16;
	if (fifo->last && (fifo->last ^ first) >> 16 == 0)
		return limpet_generation_after(fifo->last);
	return first == LIMPET_CLAIM(fifo->end.self->generation) || !first ? first + 1 : first;
}

/* Empties both directions: Linux sees a new generation, and counts from 0, too. */
static void fifo_begin(struct fifo *fifo)
{
	fifo->last = generation_next(fifo);
	LIMPET_SAY(fifo->end.self->takes, (uint32_t)fifo->size);
	limpet_end_zero(&fifo->end);
	fifo->end.must_notify = false;
	__atomic_store_n(&fifo->end.generation, fifo->last, __ATOMIC_SEQ_CST);
	LIMPET_SAY(fifo->end.self->generation, fifo->last);
	LIMPET_FENCE();
	fifo_wants_changed(fifo);
	limpet_call_channel_notify(fifo->slot);
}

/* --- bytes. The caller has the lock */

/* Returns the bytes that Linux has not read. Nonsense empties the FIFO. */
static uint64_t fifo_unread(struct fifo *fifo)
{
	uint64_t unread =
		fifo->end.head - fifo_claim(fifo, fifo->end.generation, &fifo->end.peer->tail);

	if (likely(unread <= fifo->end.out_size))
		return unread;
	fifo_begin(fifo);
	return 0;
}

/* Returns the bytes that Linux has written and the component has not taken. Nonsense empties the FIFO. */
static uint64_t fifo_waiting(struct fifo *fifo)
{
	uint64_t waiting =
		fifo_claim(fifo, fifo->end.generation, &fifo->end.peer->head) - fifo->end.tail;

	if (likely(waiting <= fifo->end.in_size))
		return waiting;
	fifo_begin(fifo);
	return 0;
}

static uint64_t fifo_space(struct fifo *fifo)
{
	uint64_t unread = fifo_unread(fifo);

	return fifo->end.out_size && unread < fifo->size ? fifo->size - unread : 0;
}

static void fifo_notify_if_wanted(struct fifo *fifo, uint32_t what)
{
	if (limpet_end_wanted(&fifo->end, what))
		limpet_call_channel_notify(fifo->slot);
}

/* Returns how many of `n` bytes at position `at` are before the end of a ring. */
static uint64_t first_piece(uint64_t at, uint64_t size, uint64_t n)
{
	uint64_t rest = size - (at & (size - 1));

	return n < rest ? n : rest;
}

static void fifo_copy_in(struct fifo *fifo, const char *data, uint64_t n)
{
	struct limpet_end *end = &fifo->end;
	uint64_t first = first_piece(end->head, end->out_size, n);

	memcpy(end->out + (end->head & (end->out_size - 1)), data, first);
	memcpy(end->out, data + first, n - first);
	limpet_end_head(end, end->head + n);
	fifo_notify_if_wanted(fifo, LIMPET_SLEEP_DATA);
}

static void fifo_copy_out(struct fifo *fifo, char *data, uint64_t n)
{
	struct limpet_end *end = &fifo->end;
	uint64_t first = first_piece(end->tail, end->in_size, n);

	memcpy(data, end->in + (end->tail & (end->in_size - 1)), first);
	memcpy(data + first, end->in, n - first);
	limpet_end_tail(end, end->tail + n);
	fifo_notify_if_wanted(fifo, LIMPET_SLEEP_SPACE);
}

long fifo_put(unsigned int number, const void *data, unsigned long n)
{
	struct fifo *fifo = fifo_lock_out(number);
	long status = (long)n;

	if (!fifo)
		return FIFO_ENODEV;
	if (unlikely(!fifo->end.out_size))
		status = FIFO_ENODEV;
	else if (n > fifo_space(fifo))
		status = FIFO_ENOSPC;
	else if (n)
		fifo_copy_in(fifo, data, n);
	mutex_unlock(&fifo->mutex);
	return status;
}

long fifo_get(unsigned int number, void *data, unsigned long n)
{
	struct fifo *fifo = fifo_lock(fifo_of(number));
	uint64_t waiting;

	if (!fifo)
		return FIFO_ENODEV;
	if (unlikely(!fifo->end.in_size)) {
		mutex_unlock(&fifo->mutex);
		return FIFO_ENODEV;
	}
	waiting = fifo_waiting(fifo);
	n = n < waiting ? n : waiting;
	if (n)
		fifo_copy_out(fifo, data, n);
	mutex_unlock(&fifo->mutex);
	return (long)n;
}

static long fifo_ask(struct fifo *fifo, uint64_t (*ask)(struct fifo *fifo))
{
	long answer;

	if (!fifo)
		return FIFO_ENODEV;
	answer = (long)ask(fifo);
	mutex_unlock(&fifo->mutex);
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
static bool fifo_is_drained(const struct fifo *fifo)
{
	const uint32_t generation = __atomic_load_n(&fifo->end.generation, __ATOMIC_ACQUIRE);
	const uint64_t head = fifo_claim(fifo, generation, &fifo->end.peer->head);

	return generation && fifo->end.in_size &&
	       head == __atomic_load_n(&fifo->end.tail, __ATOMIC_ACQUIRE);
}

long fifo_used_bytes(unsigned int number)
{
	struct fifo *fifo = fifo_of(number);

	return fifo && fifo_is_drained(fifo) ? 0 : fifo_ask(fifo_lock(fifo), fifo_waiting);
}

static uint64_t fifo_is_open(struct fifo *fifo)
{
	return LIMPET_CLAIM(fifo->end.peer->opened) & 1;
}

long fifo_opened(unsigned int number)
{
	return fifo_ask(fifo_lock_out(number), fifo_is_open);
}

/* --- life */

long fifo_create(unsigned int number, unsigned long size)
{
	struct fifo *fifo = fifo_of(number);
	long status = 0;

	if (!fifo)
		return FIFO_ENODEV;
	if (!size)
		return FIFO_EINVAL;
	if (size > fifo->max)
		return FIFO_ENOMEM;
	mutex_lock(&fifo->mutex, LIMPET_NEVER);
	if (fifo->end.generation) {
		status = FIFO_EBUSY;
	} else {
		fifo->size = size;
		/* The component can have crashed while it waited. */
		LIMPET_SAY(fifo->end.self->sleeping, 0u);
		fifo_begin(fifo);
	}
	mutex_unlock(&fifo->mutex);
	return status;
}

static void watch_again(struct fifo *fifo)
{
	mutex_lock(&fifo->mutex, LIMPET_NEVER);
	fifo_wants_changed(fifo);
	mutex_unlock(&fifo->mutex);
}

/* The caller has the lock `pairing`. */
static void pair_end(struct fifo *fifo)
{
	struct fifo *put = fifo->reads_for ? fifo->reads_for : fifo;
	struct fifo *get = put->put_into;

	if (!get)
		return;
	__atomic_store_n(&put->put_into, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&get->reads_for, NULL, __ATOMIC_SEQ_CST);
	watch_again(get);
}

static long fifo_end(struct fifo *fifo)
{
	if (!fifo_lock(fifo))
		return FIFO_ENODEV;
	__atomic_store_n(&fifo->end.generation, 0, __ATOMIC_SEQ_CST);
	LIMPET_SAY(fifo->end.self->generation, 0u);
	fifo_wants_changed(fifo);
	limpet_call_channel_notify(fifo->slot);
	mutex_unlock(&fifo->mutex);
	return 0;
}

long fifo_destroy(unsigned int number)
{
	struct fifo *fifo = fifo_of(number);
	long status;

	mutex_lock(&pairing, LIMPET_NEVER);
	status = fifo_end(fifo);
	if (!status)
		pair_end(fifo);
	mutex_unlock(&pairing);
	return status;
}

long fifo_resize(unsigned int number, unsigned long size)
{
	struct fifo *fifo = fifo_lock(fifo_of(number));
	long status = 0;

	if (!fifo)
		return FIFO_ENODEV;
	if (!size || size > fifo->max) {
		status = size ? FIFO_ENOMEM : FIFO_EINVAL;
	} else {
		fifo->size = size;
		fifo_begin(fifo);
	}
	mutex_unlock(&fifo->mutex);
	return status;
}

long fifo_flush(unsigned int number)
{
	struct fifo *fifo = fifo_lock_out(number);

	if (!fifo)
		return FIFO_ENODEV;
	fifo_begin(fifo);
	mutex_unlock(&fifo->mutex);
	return 0;
}

static bool is_created(const struct fifo *fifo)
{
	return fifo && __atomic_load_n(&fifo->end.generation, __ATOMIC_SEQ_CST);
}

static bool is_paired(const struct fifo *fifo)
{
	return fifo->put_into || fifo->reads_for;
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
	struct fifo *fifo = fifo_of(number);

	if (!fifo)
		return FIFO_ENODEV;
	mutex_lock(&pairing, LIMPET_NEVER);
	__atomic_store_n(&fifo->ignored, !watched, __ATOMIC_SEQ_CST);
	watch_again(fifo);
	if (fifo->put_into)
		watch_again(fifo->put_into);
	mutex_unlock(&pairing);
	return 0;
}
