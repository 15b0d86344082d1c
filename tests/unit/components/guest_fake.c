// SPDX-License-Identifier: BSD-2-Clause
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <import/log.h>
#define sched_yield limpet_sched_yield /* the C library's function has the same name */
#include <import/sched.h>
#include <runtime/component.h>
#include <runtime/time.h>

#include "guest_fake.h"

#define TEXT (64 << 10)

struct limpet_info fake_info;
uint64_t fake_now, fake_wait_time;
word fake_register[FAKE_REGISTERS], fake_kinds, fake_deadline, fake_early, fake_range[2],
	fake_map_range[3], fake_woken;
bool fake_orphan;
unsigned int fake_wakes, fake_created, fake_waits, fake_maps, fake_revokes;
long fake_wait[8], fake_serve_status, fake_map_status, fake_revoke_status, fake_wake_status,
	fake_filter_status;
uint64_t fake_filter[LIMPET_GUEST_FILTER_WORDS];
void (*fake_between)(void);
bool (*fake_kernel)(word call, const word *in, struct limpet_out *out, long *status);
word fake_break[3], fake_clock[3], fake_held;
long fake_info_status;

static struct page {
	word address;
	bool there, writable;
	uint8_t bytes[LIMPET_PAGE];
} pages[FAKE_PAGES];

static char text[TEXT];
static size_t text_length;

/* --- the guest's memory */

static struct page *page_find(word address)
{
	for (struct page *p = pages; p < pages + FAKE_PAGES; p++)
		if (p->there && p->address == (address & ~(word)(LIMPET_PAGE - 1)))
			return p;
	return NULL;
}

void fake_page(word address, bool writable)
{
	struct page *p = page_find(address);

	for (unsigned int i = 0; !p && i < FAKE_PAGES; i++)
		if (!pages[i].there)
			p = &pages[i];
	if (!p)
		abort();
	p->there = true;
	p->writable = writable;
	p->address = address & ~(word)(LIMPET_PAGE - 1);
}

void fake_put(word address, const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (!page_find(address + i))
			fake_page(address + i, true);
		page_find(address + i)->bytes[(address + i) % LIMPET_PAGE] =
			((const uint8_t *)from)[i];
	}
}

void fake_put_text(word address, const char *from)
{
	fake_put(address, from, strlen(from) + 1);
}

bool fake_get(word address, void *to, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		struct page *p = page_find(address + i);

		if (!p)
			return false;
		((uint8_t *)to)[i] = p->bytes[(address + i) % LIMPET_PAGE];
	}
	return true;
}

/* Copies the bytes before the first one that cannot be accessed, like the kernel. */
static long guest_copy(word direction, word guest, uint8_t *own, word bytes)
{
	if (!bytes || bytes > LIMPET_GUEST_COPY_MAX || direction > LIMPET_GUEST_WRITE)
		return LIMPET_ERANGE;
	for (word i = 0; i < bytes; i++) {
		struct page *p = page_find(guest + i);

		if (guest + i < guest || !p || (direction == LIMPET_GUEST_WRITE && !p->writable))
			return LIMPET_EFAULT;
		if (direction == LIMPET_GUEST_WRITE)
			p->bytes[(guest + i) % LIMPET_PAGE] = own[i];
		else
			own[i] = p->bytes[(guest + i) % LIMPET_PAGE];
	}
	return LIMPET_OK;
}

/* --- kernel calls */

static long registers(const word *in, struct limpet_out *out)
{
	word *const to[] = { &out->w0, &out->w1, &out->w2 };

	if (in[0] >= FAKE_REGISTERS || in[1] & ~(7ul | LIMPET_GUEST_COMMIT))
		return LIMPET_ERANGE;
	for (unsigned int i = 0; i < 3; i++) {
		*to[i] = in[0] + i < FAKE_REGISTERS ? fake_register[in[0] + i] : 0;
		if (in[1] >> i & 1)
			fake_register[in[0] + i] = in[2 + i];
	}
	return LIMPET_OK;
}

static long info(word what, struct limpet_out *out)
{
	if (what == LIMPET_GUEST_CLOCKS)
		*out = (struct limpet_out){ fake_now, fake_clock[0] + fake_now,
					    fake_clock[1] + fake_now };
	return fake_info_status;
}

static long wait_until(word deadline, word early)
{
	long status = fake_waits < 8 && fake_wait[fake_waits] ? fake_wait[fake_waits]
							      : LIMPET_ETIME;

	fake_waits++;
	fake_deadline = deadline;
	fake_early = early;
	if (status == LIMPET_ETIME && deadline != LIMPET_NEVER && deadline > fake_now)
		fake_now = deadline;
	if (status == LIMPET_EINTR)
		fake_now += fake_wait_time;
	return status == 1 ? LIMPET_OK : status;
}

static long filter_set(const word *in)
{
	if (in[0] != 0 && in[0] != 4 && in[0] != LIMPET_GUEST_FILTER_FAULTS)
		return LIMPET_ERANGE;
	for (unsigned int i = 0; i < (in[0] == LIMPET_GUEST_FILTER_FAULTS ? 1 : 4); i++)
		fake_filter[in[0] + i] = in[1 + i];
	return fake_filter_status;
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	long status = LIMPET_OK;

	*out = (struct limpet_out){ 0 };
	if (fake_between)
		fake_between();
	if (fake_kernel && fake_kernel(LIMPET_CALL(0) - op, in, out, &status))
		return status;
	if (op == LIMPET_CALL(LIMPET_CALL_GUEST_SERVE)) {
		if (!fake_serve_status)
			fake_kinds = in[1];
		return fake_serve_status;
	}
	if (op == LIMPET_CALL(LIMPET_CALL_GUEST_WAKE)) {
		fake_woken = in[0];
		return fake_wake_status;
	}
	if (fake_orphan)
		return LIMPET_ESTATE;
	switch (LIMPET_CALL(0) - op) {
	case LIMPET_CALL_GUEST_REGISTERS:
		return registers(in, out);
	case LIMPET_CALL_GUEST_COPY:
		return guest_copy(in[0], in[1], (uint8_t *)in[2], in[3]);
	case LIMPET_CALL_GUEST_WAIT:
		fake_held = in[2];
		return wait_until(in[0], in[1]);
	case LIMPET_CALL_GUEST_INFO:
		return info(in[1], out);
	case LIMPET_CALL_GUEST_BREAK:
		memcpy(fake_break, in, sizeof(fake_break));
		return LIMPET_OK;
	case LIMPET_CALL_GUEST_FILTER:
		return filter_set(in);
	case LIMPET_CALL_GUEST_MAP:
		memcpy(fake_map_range, in, sizeof(fake_map_range));
		fake_maps++;
		return fake_map_status;
	case LIMPET_CALL_GUEST_REVOKE:
		memcpy(fake_range, in, 2 * sizeof(word));
		fake_revokes++;
		return fake_revoke_status;
	}
	return LIMPET_ECALL;
}

uint64_t limpet_time(void)
{
	return fake_now;
}

unsigned int limpet_thread_id(void)
{
	return FAKE_OWN;
}

/* entry.S */
void executive_entry(void);
void executive_entry(void)
{
	abort();
}

/* --- the component's own thread, which runs while fake_main() waits */

static pthread_t own;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool started, running, ended, stopping;

static void own_wait(void)
{
	pthread_mutex_lock(&mutex);
	running = false;
	pthread_cond_broadcast(&changed);
	while (!running && !stopping)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	if (stopping)
		pthread_exit(NULL);
}

static void *own_main(void *unused)
{
	component_main(&fake_info);
	pthread_mutex_lock(&mutex);
	ended = true;
	running = false;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	return unused;
}

bool fake_main(void)
{
	pthread_mutex_lock(&mutex);
	running = true;
	if (!started && pthread_create(&own, NULL, own_main, NULL))
		abort();
	started = true;
	pthread_cond_broadcast(&changed);
	while (running && !ended)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	return !ended;
}

static void own_stop(void)
{
	if (!started)
		return;
	pthread_mutex_lock(&mutex);
	stopping = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	pthread_join(own, NULL);
	started = running = ended = stopping = false;
}

/* --- the scheduler and the console */

static long handler_status;

long sched_create(word entry, word argument, word priority)
{
	(void)priority;
	if (fake_created == FAKE_SPARES)
		return LIMPET_EQUOTA;
	handler_status = (long)((word(*)(word))entry)(argument);
	return FAKE_OWN + 1 + fake_created++;
}

/* A handler that serves events does not end. */
long sched_join(word thread, word deadline, word *value)
{
	(void)thread;
	fake_now = deadline;
	*value = (word)handler_status;
	return handler_status ? LIMPET_OK : LIMPET_ETIME;
}

long sched_wake(word thread)
{
	if (thread != FAKE_OWN)
		abort();
	fake_wakes++;
	return LIMPET_OK;
}

long sched_block_until(word deadline)
{
	(void)deadline;
	own_wait();
	return LIMPET_OK;
}

long sched_sleep_until(word deadline)
{
	if (deadline > fake_now)
		fake_now = deadline;
	own_wait();
	return LIMPET_OK;
}

long log_write(word text0, word text1, word text2, word text3, word text4, word text5)
{
	const word words[] = { text0, text1, text2, text3, text4, text5 };

	for (const char *c = (const char *)words; c < (const char *)(words + 6); c++)
		if (*c && text_length < TEXT - 1)
			text[text_length++] = *c;
	return LIMPET_OK;
}

const char *fake_text(void)
{
	static char copy[TEXT];

	memcpy(copy, text, text_length);
	copy[text_length] = 0;
	text_length = 0;
	return copy;
}

/* --- setup */

void fake_reset(void)
{
	own_stop();
	fake_info = (struct limpet_info){ .thread = FAKE_OWN, .ticks_per_ms = FAKE_TICKS_PER_MS };
	fake_now = 1000000;
	fake_wait_time = 0;
	fake_orphan = false;
	fake_kinds = 0;
	fake_serve_status = fake_map_status = fake_revoke_status = 0;
	fake_wake_status = fake_filter_status = 0;
	fake_wakes = fake_created = fake_waits = fake_maps = fake_revokes = 0;
	fake_between = NULL;
	memset(fake_wait, 0, sizeof(fake_wait));
	memset(fake_register, 0, sizeof(fake_register));
	memset(fake_filter, 0, sizeof(fake_filter));
	memset(pages, 0, sizeof(pages));
	text_length = 0;
}

void fake_argument(const char *name, int64_t number)
{
	struct limpet_info_arg *arg = &fake_info.arg[fake_info.args++];

	snprintf(arg->name, sizeof(arg->name), "%s", name);
	arg->number = number;
}

void fake_argument_text(const char *name, const char *value)
{
	fake_argument(name, 0);
	snprintf(fake_info.arg[fake_info.args - 1].text, sizeof(fake_info.arg->text), "%s", value);
}

struct executive_answer fake_event(unsigned int kind, unsigned int id, word w0, word w1, word w2,
				   word w3)
{
	return executive_event(LIMPET_GUEST_EVENT(kind, id), w0, w1, w2, w3, 0, 0);
}

struct executive_answer fake_call(unsigned int id, word number, word w1, word w2, word w3, word w4,
				  word w5, word w6)
{
	fake_register[LIMPET_GUEST_RAX] = number;
	fake_register[LIMPET_GUEST_RDI] = w1;
	fake_register[LIMPET_GUEST_RSI] = w2;
	fake_register[LIMPET_GUEST_RDX] = w3;
	fake_register[LIMPET_GUEST_R10] = w4;
	fake_register[LIMPET_GUEST_R8] = w5;
	fake_register[LIMPET_GUEST_R9] = w6;
	return executive_event(LIMPET_GUEST_EVENT(LIMPET_GUEST_CALL, id), number, w1, w2, w3, w4,
			       w5);
}
