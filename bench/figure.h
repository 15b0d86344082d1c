/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Collects samples of a measured figure, and prints them as one line of JSON. All programs in this
 * folder use it.
 */
#ifndef BENCH_FIGURE_H
#define BENCH_FIGURE_H

#include <stdint.h>
#include <sys/syscall.h>
#include <x86intrin.h>

struct figure {
	const char *suite;
	const char *name; /* the case */
	const char *subject;
};

/* Returns the time stamp: instructions if QEMU counts them, otherwise the processor's ticks. */
static inline uint64_t figure_time(void)
{
	return __rdtsc();
}

/*
 * Prints {"figure": {"suite": ..., "case": ..., "subject": ..., "unit": "ticks", "n": ..., "min":
 * ..., "median": ..., "p99": ..., "max": ..., "mean": ..., "stddev": ...}}. Sorts the samples.
 */
void figure_print(const struct figure *figure, uint64_t *samples, unsigned long count);
/* Does the same with another unit than ticks, such as "percent". */
void figure_print_unit(const struct figure *figure, const char *unit, uint64_t *samples,
		       unsigned long count);
/*
 * Prints the samples as a histogram with the buckets of Limpet's components, in lines of a bounded length:
 * {"histogram": {"case": ..., "subject": ..., "part": ..., "of": ..., "buckets": [[floor, count], ...]}}.
 */
void figure_print_histogram(const struct figure *figure, const uint64_t *samples,
			    unsigned long count);
/* Returns the rate of the time stamp, after a measurement of 100 ms. */
uint64_t figure_ticks_per_ms(void);
/* Makes a null system call, getppid(), and returns its result. */
static inline long figure_null_call(void)
{
	long result;

	__asm__ volatile("syscall" : "=a"(result) : "a"(SYS_getppid) : "rcx", "r11", "memory");
	return result;
}

/* Runs this process on one CPU only. Exits with a message if that fails. */
void figure_pin(int cpu);
/* Gives this process SCHED_FIFO with a priority from 1 to 99. Exits with a message if that fails. */
void figure_realtime(int priority);
/* Prints how the program is used, and exits with status 2. */
void figure_usage(const char *how) __attribute__((noreturn));
/* Returns a positive number from the command line. Exits with a message if it is invalid. */
unsigned long figure_number(const char *text);
/* Allocates and touches memory for samples. */
uint64_t *figure_samples(unsigned long count);
/* Prints `what` and errno's text; exits. */
void figure_die(const char *what) __attribute__((noreturn));

#endif
