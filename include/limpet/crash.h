/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Crash records, which a supervisor writes into its channel, node crash.CPU, for Linux to read. Version 1.
 *
 *   page 0      struct limpet_crash_log
 *   page 1 + n  struct limpet_crash: the crash with number n + k * records
 *
 * The oldest record is overwritten. Writers and reader do not wait for each other: `sequence` is odd
 * while a record is being written, and another number when it was written meanwhile. A reader copies
 * the record, and takes the copy if `sequence` was the same even number, not 0, before and after. Both
 * sides take what the other wrote for a claim.
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
#define LIMPET_CRASH_CALLERS 23 /* components that a thread had come through */
#define LIMPET_CRASH_REGISTERS 18

/* Kinds that no processor and no kernel knows; others: see <limpet/call.h>. */
#define LIMPET_CRASH_HEARTBEAT 512 /* it was not heard of in time */

struct limpet_crash_log {
	uint64_t magic;
	uint32_t version;
	uint32_t records; /* that there is room for */
	uint64_t crashes; /* so many; the last one has this number less 1 */
	uint64_t lost;	  /* of these had no room: their record was being written for another */
	uint64_t begin;	  /* time stamp when the supervisor began */
	uint64_t ticks_per_ms; /* of time stamps */
};

/* What became of the component. */
enum limpet_crash_outcome {
	LIMPET_CRASH_CHECKPOINT = 1, /* it serves again, with the memory of its checkpoint */
	LIMPET_CRASH_IMAGE = 2,	     /* with the memory of its image, initialised */
	LIMPET_CRASH_STOPPED = 3,    /* it stays closed: its policy */
	LIMPET_CRASH_LIMIT = 4,	     /* it stays closed: too many restarts */
	LIMPET_CRASH_FAILED =
		5, /* it stays closed: it could not be made what it was, see `error` */
	LIMPET_CRASH_HALTED = 6, /* the system ends */
};

/* An address in a component, and the function that it is in. */
struct limpet_crash_place {
	uint64_t address;
	uint32_t component;		  /* index in the image */
	uint32_t offset;		  /* from the function's first byte */
	char symbol[LIMPET_CRASH_SYMBOL]; /* "": not known */
};

struct limpet_crash {
	uint32_t sequence;
	uint32_t component;	/* index in the image */
	uint64_t number;	/* 0 and up */
	uint64_t time;		/* time stamp */
	uint32_t kind;		/* the processor's vector, LIMPET_FAULT_..., LIMPET_CRASH_... */
	uint32_t thread;	/* id; of a heartbeat 0 */
	uint64_t address, code; /* as a fault handler gets them */
	uint32_t outcome;	/* enum limpet_crash_outcome */
	int32_t error;		/* LIMPET_CRASH_FAILED: status of what failed */
	uint32_t restarts;	/* of the component since the system began, this one included */
	uint32_t backoff_ms;	/* its threads begin so much later */
	uint64_t ticks;		/* from the crash to its serving again; 0: it does not */
	char name[LIMPET_NAME_MAX];
	uint64_t registers[LIMPET_CRASH_REGISTERS]; /* in the order of FAULT_READ; heartbeat: 0 */
	uint32_t frames;  /* of the backtrace; the first is where it crashed */
	uint32_t callers; /* the first is who had invoked it */
	struct limpet_crash_place frame[LIMPET_CRASH_FRAMES];
	struct limpet_crash_place caller[LIMPET_CRASH_CALLERS];
	char caller_name[LIMPET_CRASH_CALLERS][LIMPET_NAME_MAX - 8]; /* the first of it */
};

_Static_assert(sizeof(struct limpet_crash) <= LIMPET_CRASH_PAGE, "a record is a page");

#endif
