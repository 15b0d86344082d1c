/* SPDX-License-Identifier: GPL-2.0 */
/* Reads crash records from memory that a component writes. All contents are untrusted. */
#ifndef CLI_CRASH_LOG_H
#define CLI_CRASH_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include <limpet/crash.h>

struct crash_log {
	const void *memory;
	uint32_t records; /* number of records that fit in */
	uint64_t crashes, lost, begin, ticks_per_ms;
};

/* Returns false if the `size` bytes have no crash records of this version. */
bool crash_log_open(struct crash_log *log, const void *memory, size_t size);
/* Returns the number of the oldest crash that may still have a record. */
uint64_t crash_log_first(const struct crash_log *log);
/*
 * Copies the record of a crash, terminates its texts and bounds its counts. Returns false if the record is lost,
 * incomplete or invalid.
 */
bool crash_log_take(const struct crash_log *log, uint64_t number, struct limpet_crash *to);

#endif
