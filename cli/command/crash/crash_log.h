/* SPDX-License-Identifier: GPL-2.0 */
/* Crash records, read out of memory that a component writes: whatever it writes is a claim. */
#ifndef CLI_CRASH_LOG_H
#define CLI_CRASH_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include <limpet/crash.h>

struct crash_log {
	const void *memory;
	uint32_t records; /* that fit in */
	uint64_t crashes, lost, begin, ticks_per_ms;
};

/* Returns false if the `size` bytes have no crash records of this version. */
bool crash_log_open(struct crash_log *log, const void *memory, size_t size);
/* Number of the oldest crash that may have a record still. */
uint64_t crash_log_first(const struct crash_log *log);
/*
 * Copies the record of a crash; its texts end, its counts are within bounds. False: it is lost, being
 * written, or makes no sense.
 */
bool crash_log_take(const struct crash_log *log, uint64_t number, struct limpet_crash *to);

#endif
