// SPDX-License-Identifier: BSD-2-Clause
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <runtime/print.h>
#include <runtime/time.h>
#include <sync/barrier.h>
#include <sync/lock.h>

#include <import/mem.h>
#define sched_yield limpet_sched_yield /* POSIX has a function with this name */
#include <import/sched.h>
#undef sched_yield

#include "machine.h"

struct limpet_info machine_info __asm__("__limpet_info");

static uint64_t number_of(const char *text, char **end)
{
	return strtoul(text, end, 0);
}

static void argument(const char *word)
{
	struct limpet_info_arg *arg = &machine_info.arg[machine_info.args++];
	const char *value = strchr(word, '=') + 1;
	char *end;

	memcpy(arg->name, word, (size_t)(value - word) - 1);
	arg->number = (int64_t)number_of(value, &end);
	if (*end)
		snprintf(arg->text, sizeof(arg->text), "%s", value);
}

static void ramdisk(const char *name)
{
	FILE *file = fopen(name, "rb");
	const size_t max = 4 << 20;
	char *content = malloc(max);

	if (!file) {
		perror(name);
		exit(1);
	}
	machine_info.ramdisk = (uint64_t)content;
	machine_info.ramdisk_size = fread(content, 1, max, file);
	fclose(file);
}

static struct limpet_info_thread threads[LIMPET_THREADS_MAX];

const struct limpet_info *machine_begin(int count, char **words, unsigned int spare)
{
	machine_info.index = 1;
	machine_info.ticks_per_ms = 1000000;
	machine_info.threads = spare;
	machine_info.thread_of = threads;
	for (unsigned int id = 1; id <= spare; id++)
		threads[id] =
			(struct limpet_info_thread){ .component = 1, .flags = LIMPET_THREAD_SPARE };
	for (int i = 0; i < count; i++) {
		if (!strncmp(words[i], "ramdisk=", 8))
			ramdisk(words[i] + 8);
		else
			argument(words[i]);
	}
	return &machine_info;
}

/* --- time and threads */

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
}

uint64_t limpet_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

long sched_sleep_until(word deadline)
{
	struct timespec until = timespec_of(deadline);

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
	return LIMPET_OK;
}

struct beginning {
	word (*entry)(word argument);
	word argument;
};

static void *begin(void *memory)
{
	struct beginning what = *(struct beginning *)memory;

	free(memory);
	return (void *)what.entry(what.argument);
}

long sched_create(word entry, word argument_, word priority)
{
	struct beginning *what = malloc(sizeof(*what));
	pthread_t thread;

	(void)priority;
	*what = (struct beginning){ (word(*)(word))entry, argument_ };
	return pthread_create(&thread, NULL, begin, what) ? LIMPET_EQUOTA : 1;
}

/* One lock for all objects, because their protection is not tested here. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;

void lock_take(struct lock *lock)
{
	(void)lock;
	pthread_mutex_lock(&mutex);
}

void lock_drop(struct lock *lock)
{
	(void)lock;
	pthread_mutex_unlock(&mutex);
}

/* The low half of the state counts arrivals, the high half counts openings. */
long barrier_wait(struct barrier *b, uint64_t deadline)
{
	uint64_t round;
	long last;

	(void)deadline;
	pthread_mutex_lock(&mutex);
	round = b->state >> 32;
	last = (uint32_t)++b->state == b->total;
	if (last) {
		b->state = (round + 1) << 32;
		pthread_cond_broadcast(&opened);
	}
	while (b->state >> 32 == round)
		pthread_cond_wait(&opened, &mutex);
	pthread_mutex_unlock(&mutex);
	return last;
}

/* --- memory: one address space, so granted memory is already mapped */

#define ALLOCATIONS 16

static struct {
	word address, pages;
} allocations[ALLOCATIONS];

long mem_allocate(word pages, word *address)
{
	for (unsigned int i = 0; i < ALLOCATIONS; i++) {
		if (allocations[i].pages)
			continue;
		*address = (word)aligned_alloc(LIMPET_PAGE, pages * LIMPET_PAGE);
		memset((void *)*address, 0, pages * LIMPET_PAGE);
		allocations[i].address = *address;
		allocations[i].pages = pages;
		return LIMPET_OK;
	}
	return LIMPET_EQUOTA;
}

long mem_free(word address)
{
	for (unsigned int i = 0; i < ALLOCATIONS; i++) {
		if (allocations[i].address != address)
			continue;
		free((void *)address);
		allocations[i].address = allocations[i].pages = 0;
		return LIMPET_OK;
	}
	return LIMPET_ENOENT;
}

long mem_grant(word address, word component, word rights)
{
	(void)address;
	(void)component;
	(void)rights;
	return LIMPET_OK;
}

long mem_attach(word address)
{
	for (unsigned int i = 0; i < ALLOCATIONS; i++)
		if (allocations[i].address == address)
			return (long)allocations[i].pages;
	return LIMPET_ENOENT;
}

/* --- the log */

void limpet_print(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vfprintf(stderr, format, values);
	va_end(values);
}
