// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <runtime/kernel_call.h>
#include <runtime/time.h>

#include <import/faults.h>
#include <import/log.h>
#include <import/mem.h>
#include <import/sched.h>

#include "../../../lib/posix/posix.h"
#include "../../../lib/posix/timer.h"
#include "../sched_objects.h"
#include "fake.h"

const struct limpet_info __limpet_info = {
	.ticks_per_ms = FAKE_TICKS_PER_MS, .thread = 2, .priority = 50, .name = "fake"
};

struct posix_frame fake_frame;
uint64_t fake_time;
unsigned int fake_thread;
void (*fake_blocked)(void);
uint64_t fake_woken, fake_diverted;
void (*fake_alarm)(void);
unsigned long fake_pages, fake_quota;
bool fake_adjacent;
unsigned int fake_allocations;
struct fake_protection fake_protection;
bool fake_protect_refuses;
unsigned long fake_passed_on;
char fake_log[4096];
uint64_t fake_ticks[64];
unsigned int fake_accounts, fake_yields, fake_job_ends;
bool fake_deadlines;
long fake_reserve;
struct fake_reservation fake_reserved[64];

int fake_begin(void **state)
{
	static bool started;

	(void)state;
	fake_time = 1000 * FAKE_TICKS_PER_MS;
	fake_thread = 2;
	fake_blocked = NULL;
	fake_woken = fake_diverted = 0;
	fake_quota = 3000;
	fake_adjacent = false;
	fake_log[0] = 0;
	for (unsigned int id = 0; id < 64; id++)
		fake_ticks[id] = id >= 2 && id < 6 ? id * FAKE_TICKS_PER_MS : 0;
	fake_accounts = fake_yields = fake_job_ends = 0;
	fake_deadlines = true;
	fake_reserve = LIMPET_OK;
	fake_protect_refuses = false;
	memset(fake_reserved, 0, sizeof(fake_reserved));
	for (unsigned int id = 2; id < 6 && !started; id++) {
		thread_begin(&posix_threads[id]);
		posix_threads[id].priority = (uint8_t)id;
	}
	started = true;
	return 0;
}

long fake_call(long number, unsigned long a, unsigned long b, unsigned long c, unsigned long d,
	       unsigned long e, unsigned long f)
{
	struct posix_frame *frame = &fake_frame;

	frame->rax = (word)number;
	frame->rdi = a;
	frame->rsi = b;
	frame->rdx = c;
	frame->r10 = d;
	frame->r8 = e;
	frame->r9 = f;
	posix_system_call(frame);
	return (long)frame->rax;
}

unsigned int limpet_thread_id(void)
{
	return fake_thread;
}

uint64_t limpet_time(void)
{
	return fake_time;
}

void thread_pointers(const struct posix_thread *t)
{
	(void)t;
}

_Noreturn void thread_go(struct posix_thread *thread)
{
	(void)thread;
	abort();
}

void posix_interrupt(void)
{
	abort();
}

void posix_exception(void)
{
	abort();
}

/* THREAD_DIVERT: each thread is somewhere in the program, so the second of two calls succeeds. */
long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	assert_int_equal(op, LIMPET_CALL(LIMPET_CALL_THREAD_DIVERT));
	out->w0 = FAKE_IP;
	if (in[1] != FAKE_IP)
		return LIMPET_EAGAIN;
	fake_diverted |= 1ul << in[0];
	return LIMPET_OK;
}

_Noreturn void limpet_thread_exit(word value);
_Noreturn void limpet_thread_exit(word value)
{
	(void)value;
	abort();
}

void limpet_print(const char *format, ...);
void limpet_print(const char *format, ...)
{
	size_t length = strlen(fake_log);
	va_list values;

	va_start(values, format);
	vsnprintf(fake_log + length, sizeof(fake_log) - length, format, values);
	va_end(values);
}

void limpet_write(const char *text, size_t size);
void limpet_write(const char *text, size_t size)
{
	limpet_print("%.*s", (int)size, text);
}

/* --- sched */

/* Does the work of the thread that fires timers until a time. Returns whether it woke the thread `self`. */
static bool alarm_runs(unsigned int self, uint64_t until)
{
	fake_woken &= ~(1ul << self);
	while (fake_alarm && timers_next() <= until) {
		fake_time = timers_next() > fake_time ? timers_next() : fake_time;
		fake_thread = FAKE_ALARM;
		posix_lock();
		timers_fire(fake_time);
		posix_unlock();
		fake_thread = self;
		if (fake_woken >> self & 1)
			return true;
	}
	return false;
}

static long block(word deadline)
{
	void (*others)(void) = fake_blocked;
	unsigned int self = fake_thread;

	fake_blocked = NULL;
	if (others) {
		others();
		fake_thread = self;
		if (fake_woken >> self & 1)
			return LIMPET_OK;
	}
	if (alarm_runs(self, deadline == LIMPET_NEVER ? deadline - 1 : deadline))
		return LIMPET_OK;
	assert_true(deadline != LIMPET_NEVER); /* otherwise it waits forever */
	if (deadline > fake_time)
		fake_time = deadline;
	return LIMPET_ETIME;
}

long sched_block_until(word deadline)
{
	return block(deadline);
}

long sched_suspend_for(word owner, word deadline)
{
	(void)owner;
	return block(deadline);
}

long sched_suspend(void)
{
	return block(LIMPET_NEVER);
}

long sched_wake(word thread)
{
	fake_woken |= 1ul << thread;
	return LIMPET_OK;
}

long sched_resume(word thread)
{
	return sched_wake(thread);
}

long sched_resume_best(word threads, word first)
{
	assert_true(threads);
	return sched_wake(first + (word)(63 - __builtin_clzl(threads)));
}

long sched_yield(void)
{
	fake_yields++;
	return LIMPET_OK;
}

long sched_create(word entry, word argument, word priority)
{
	(void)argument;
	if (priority != 50)
		return FAKE_CREATED;
	fake_alarm = (void (*)(void))entry; /* the thread that fires timers */
	return FAKE_ALARM;
}

long sched_slice(word thread, word ticks)
{
	fake_reserved[thread].slice = ticks;
	return LIMPET_OK;
}

long sched_detach(word thread)
{
	(void)thread;
	return LIMPET_OK;
}

long sched_priority(word thread, word priority)
{
	fake_reserved[thread].priority = priority;
	return LIMPET_OK;
}

long sched_reserve(word thread, word budget, word period)
{
	fake_reserved[thread].budget = budget;
	fake_reserved[thread].period = period;
	return LIMPET_OK;
}

long sched_reserve_deadline(word thread, word budget, word period)
{
	if (!fake_deadlines)
		return LIMPET_ESTATE;
	return fake_reserve ? fake_reserve : sched_reserve(thread, budget, period);
}

long sched_deadline_wait(word *due)
{
	fake_job_ends++;
	*due = 0;
	return fake_reserved[fake_thread].budget ? LIMPET_OK : LIMPET_ESTATE;
}

long sched_account(word thread, word *ticks, word *misses, word *overruns)
{
	fake_accounts++;
	*ticks = fake_ticks[thread];
	*misses = *overruns = 0;
	return LIMPET_OK;
}

long sched_account_sum(word threads, word first, word *ticks)
{
	fake_accounts++;
	*ticks = 0;
	for (word id = 0; id < 64 - first; id++)
		*ticks += threads >> id & 1 ? fake_ticks[first + id] : 0;
	return LIMPET_OK;
}

/* --- mem: the page before an allocation stores its size */

static long allocate(word pages, word *address)
{
	uint8_t *block;

	if (fake_pages + pages > fake_quota)
		return LIMPET_EQUOTA;
	block = aligned_alloc(LIMPET_PAGE, (pages + 1) * LIMPET_PAGE);
	assert_non_null(block);
	memset(block, 0, (pages + 1) * LIMPET_PAGE);
	*(word *)(void *)block = pages;
	*address = (word)block + LIMPET_PAGE;
	fake_pages += pages;
	fake_allocations++;
	return LIMPET_OK;
}

/*
 * Large reservations are in an arena, in the lowest gap that is wide enough. They do not count in fake_pages, because the real
 * memory manager counts pages when they are touched.
 */
#define ARENA_PAGES 16384ul
#define ARENA_FROM 1500 /* pages of a reservation */

static uint8_t *arena;
static bool arena_used[ARENA_PAGES];
static unsigned long arena_sizes[ARENA_PAGES];

static long arena_reserve(word pages, word *address)
{
	unsigned long run = 0;

	if (!arena)
		arena = mmap(NULL, ARENA_PAGES * LIMPET_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	for (unsigned long n = 0; n < ARENA_PAGES; n++) {
		run = arena_used[n] ? 0 : run + 1;
		if (run < pages)
			continue;
		n -= pages - 1;
		memset(arena_used + n, true, pages);
		arena_sizes[n] = pages;
		*address = (word)(arena + n * LIMPET_PAGE);
		fake_allocations++;
		return LIMPET_OK;
	}
	return LIMPET_EQUOTA;
}

static bool arena_free(word address)
{
	const unsigned long n = (address - (word)arena) / LIMPET_PAGE;

	if (!arena || n >= ARENA_PAGES)
		return false;
	assert_true(arena_sizes[n] > 0);
	memset(arena + n * LIMPET_PAGE, 0, arena_sizes[n] * LIMPET_PAGE);
	memset(arena_used + n, false, arena_sizes[n]);
	arena_sizes[n] = 0;
	fake_allocations--;
	return true;
}

/* Returns whether a range is in one reservation. */
static bool arena_holds(word address, word pages)
{
	const unsigned long n = (address - (word)arena) / LIMPET_PAGE;
	unsigned long first = n;

	if (!arena || n >= ARENA_PAGES)
		return true;
	while (first && !arena_sizes[first])
		first--;
	return n + pages <= first + arena_sizes[first];
}

long mem_allocate(word pages, word *address)
{
	if (!pages || pages > 256)
		return LIMPET_ERANGE;
	return fake_adjacent ? arena_reserve(pages, address) : allocate(pages, address);
}

long mem_reserve(word pages, word rights, word *address)
{
	assert_int_equal(rights, LIMPET_READ | LIMPET_WRITE);
	if (!pages || pages > 4096)
		return LIMPET_ERANGE;
	return pages < ARENA_FROM ? allocate(pages, address) : arena_reserve(pages, address);
}

long mem_free(word address)
{
	word *block = (word *)(address - LIMPET_PAGE);

	if (arena_free(address))
		return LIMPET_OK;
	fake_pages -= *block;
	fake_allocations--;
	free(block);
	return LIMPET_OK;
}

long mem_unmap(word address, word pages)
{
	assert_true(arena_holds(address, pages));
	memset((void *)address, 0xee, pages * LIMPET_PAGE);
	return LIMPET_OK;
}

long mem_protect(word address, word pages, word rights)
{
	assert_true(address % LIMPET_PAGE == 0 && pages && arena_holds(address, pages));
	if (fake_protect_refuses)
		return LIMPET_EQUOTA;
	fake_protection = (struct fake_protection){ address, pages, rights };
	return LIMPET_OK;
}

long mem_available(word *used, word *frames)
{
	*used = fake_pages;
	*frames = fake_quota;
	return (long)(fake_quota - fake_pages);
}

long mem_touch(word address, word code)
{
	(void)code;
	return address == FAKE_TOUCHABLE ? LIMPET_OK : LIMPET_ENOENT;
}

/* --- the next fault handler after lib/posix */

long faults_handle(word kind, word address, word code, word ip, word thread, word component)
{
	(void)address;
	(void)code;
	(void)ip;
	(void)thread;
	(void)component;
	fake_passed_on = kind;
	return LIMPET_ECRASH;
}
