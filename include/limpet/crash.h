/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Crash records, which a supervisor writes into its channel, node crash.CPU, and Linux reads.
 * Version 1.
 *
 *   page 0      struct limpet_crash_log
 *   page 1 + n  struct limpet_crash: the crash with number n + k * records
 *
 * A new record overwrites the oldest one. The writer and the readers do not wait for each other.
 * `sequence` is odd while a record is being written, and changes with each write. A reader copies
 * the record. The copy is valid if `sequence` was the same even number, other than 0, before and
 * after. Each side checks what the other side wrote.
 */
#ifndef LIMPET_CRASH_H
#define LIMPET_CRASH_H

#include <stdint.h>
#include <limpet/image.h>

#define LIMPET_CRASH_MAGIC 0x687361726370694cul /* "Lipcrash" */
#define LIMPET_CRASH_VERSION 1
#define LIMPET_CRASH_PAGE 4096
#define LIMPET_CRASH_SYMBOL 48
#define LIMPET_CRASH_FRAMES 20	/* of a backtrace */
#define LIMPET_CRASH_CALLERS 23 /* of the invocations that led to the component */
#define LIMPET_CRASH_REGISTERS 18

/* Kinds that the supervisor adds to those of <limpet/call.h>. */
#define LIMPET_CRASH_HEARTBEAT 512 /* no heartbeat came in time */

struct limpet_crash_log {
	uint64_t magic;
	uint32_t version;
	uint32_t records; /* number of records that fit */
	uint64_t crashes; /* number of crashes; the last one has this number minus 1 */
	uint64_t lost;	/* crashes without a record, because another one was being written to it */
	uint64_t begin; /* time stamp at the supervisor's start */
	uint64_t ticks_per_ms; /* of time stamps */
};

/* State of the component after the crash was handled. */
enum limpet_crash_outcome {
	LIMPET_CRASH_CHECKPOINT = 1, /* it serves again, with the memory of its checkpoint */
	LIMPET_CRASH_IMAGE = 2,	     /* it serves again, initialised from its image */
	LIMPET_CRASH_STOPPED = 3,    /* it stays closed, because of its policy */
	LIMPET_CRASH_LIMIT = 4,	     /* it stays closed, because it reached its restart limit */
	LIMPET_CRASH_FAILED = 5,     /* it stays closed, because the restart failed, see `error` */
	LIMPET_CRASH_HALTED = 6,     /* the system ends */
};

/* An address in a component, with the function that contains it. */
struct limpet_crash_place {
	uint64_t address;
	uint32_t component;		  /* index in the image */
	uint32_t offset;		  /* from the function's first byte */
	char symbol[LIMPET_CRASH_SYMBOL]; /* name of the function; "": unknown */
};

struct limpet_crash {
	uint32_t sequence;
	uint32_t component;	/* index in the image */
	uint64_t number;	/* of the crash, from 0 */
	uint64_t time;		/* time stamp */
	uint32_t kind;		/* the processor's vector, LIMPET_FAULT_..., LIMPET_CRASH_... */
	uint32_t thread;	/* id; 0 for a missed heartbeat */
	uint64_t address, code; /* as a fault handler gets them */
	uint32_t outcome;	/* enum limpet_crash_outcome */
	int32_t error;		/* LIMPET_CRASH_FAILED: status of the operation that failed */
	uint32_t restarts;	/* of the component since the system's start, this one included */
	uint32_t backoff_ms;	/* delay before its threads start */
	uint64_t ticks;		/* time until the component serves again; 0: it stays closed */
	char name[LIMPET_NAME_MAX];
	uint64_t registers[LIMPET_CRASH_REGISTERS]; /* in the order of FAULT_READ; heartbeat: 0 */
	uint32_t frames;  /* of the backtrace; frame[0] is the place of the crash */
	uint32_t callers; /* caller[0] had invoked the component */
	struct limpet_crash_place frame[LIMPET_CRASH_FRAMES];
	struct limpet_crash_place caller[LIMPET_CRASH_CALLERS];
	char caller_name[LIMPET_CRASH_CALLERS][LIMPET_NAME_MAX - 8]; /* first bytes of the names */
};

_Static_assert(sizeof(struct limpet_crash) <= LIMPET_CRASH_PAGE, "a record is a page");

#endif
