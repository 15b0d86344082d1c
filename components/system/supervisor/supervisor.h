/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The supervisor. A component that it looks after is a supervised component. A fault of one is handled on the thread
 * that faulted, at its priority: close, record, restore, open. The supervisor's own thread does what
 * has to wait or to be watched: checkpoints at the beginning, threads that died with their component,
 * heartbeats, and the memory of components whose faults came by way of another handler.
 *
 * There is no lock. A thread claims a supervised component before it handles the crash. Threads that come later were
 * stopped with the component and leave. If the claiming thread dies here, the supervised component stays closed.
 */
#ifndef SUPERVISOR_H
#define SUPERVISOR_H

#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include <limpet/crash.h>

_Static_assert(LIMPET_SPARES_FEW < 63, "a word has a bit for each thread of a component");

/* The back-off doubles so often; it, and what the limit counts, begins anew after QUIET_MS without a crash. */
#define BACKOFF_DOUBLINGS 6
#define QUIET_MS 10000

/* How soon the supervisor looks again whether a thread is dead, in microseconds; doubled each time. */
#define POLL_FIRST 20
#define POLL_LAST 10000

struct supervised {
	const struct limpet_info_supervised *info;
	const struct limpet_image_component *record;
	const char *name;
	uint8_t claimed;	/* by whom handles its crash; of one that stays closed for ever */
	bool closed;		/* it stays so */
	bool kept;		/* there is a checkpoint */
	bool wanted;		/* its memory is to be restored by the supervisor's own thread */
	long status;		/* what came of that */
	uint32_t waiter;	/* 1 + id of the thread that waits for it; 0: done */
	uint32_t restarts, row; /* in all; without a quiet time between */
	uint64_t crashed;	/* when it did last */
	uint64_t restarting; /* its threads that are to begin again, as supervised_threads() has them */
	uint64_t restart_at; /* no earlier than this */
	uint64_t poll;	     /* ticks until it is looked again whether they are dead */
	uint64_t beaten;     /* when it was heard of, or began */
};

/* Bit 0: its own thread, bit n: its spare thread n - 1. */
static inline uint64_t supervised_threads(const struct limpet_info_supervised *info)
{
	return (info->thread ? 1ul : 0) | ((1ul << info->spares) - 1) << 1;
}

struct supervisor {
	const struct limpet_image *image;
	const struct limpet_image_component *component; /* of the image */
	uint32_t supervised_count;
	struct supervised supervised[LIMPET_COMPONENTS_MAX];
	uint64_t ms;	      /* ticks */
	uint32_t log, keeper; /* components that serve these imports; 0: none */
	uint32_t root;	      /* thread of the CPU's first scheduler */
	bool begun;	      /* its own thread is there */
};

/* state.c: state shared by all parts. */
extern struct supervisor supervisor;

/* Returns the supervised component at an index of the image, or NULL if the component is not supervised. */
struct supervised *supervised_of(word component);
/* Wakes the supervisor's own thread. It then checks all supervised components. */
void check_now(void);

/* A crash, as its handler is told. */
struct crash {
	uint64_t time;
	word kind, address, code, ip, thread;
};

/* How the thread came here. */
struct passage {
	bool fault;  /* by a fault of the supervised component, which the kernel tells of */
	bool direct; /* it is in no other handler, nor in the memory manager */
	bool quiet;  /* it is in the log */
};

/* What became of a crash, as in its record. */
struct outcome {
	enum limpet_crash_outcome what;
	long status;
	uint32_t restarts, backoff_ms;
	uint64_t ticks;
};

/* image.c: what the image says of components. */
const char *image_text(uint32_t string);
/* The function that an address of a component is in; "" and 0: not known. */
void symbol_find(uint32_t component, uint64_t address, struct limpet_crash_place *place);
/* Whether it is code of the component. */
bool code_at(uint32_t component, uint64_t address);
/* As much of it as there is room for; the rest is 0. */
void name_copy(char *to, size_t size, const char *from);

/* record.c: crash records. */
long records_init(const struct limpet_info *info);
/* Begins the record of a crash with all that is known now; NULL: there is no room. */
struct limpet_crash *record_begin(const struct supervised *supervised, const struct crash *crash);
/* Registers, backtrace and callers of the fault that the calling thread is handling. */
void record_fault(struct limpet_crash *record, const struct supervised *supervised);
/* It is complete, and can be read from now on. */
void record_end(struct limpet_crash *record, const struct outcome *outcome);

/* say.c: lines for the log. */
void say_crash(const struct supervised *supervised, const struct crash *crash,
	       const struct outcome *outcome);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* restore.c: memory. */
/* If its policy wants one. By the supervisor's own thread, before others run. */
void checkpoint_take(struct supervised *supervised);
/*
 * The component, which is closed, has the memory that its policy wants, is initialised if that is so,
 * and open. Not on a thread that is in the memory manager, nor in a handler before this one. An error:
 * it is closed.
 */
long supervised_restore(struct supervised *supervised);

/* restart.c: from a crash to a decision. */
/* Stops and closes the component, and returns true, unless another thread has claimed the crash. */
bool supervised_claim(struct supervised *supervised);
/* Applies the policy to a supervised component that has crashed. The caller has claimed it. */
void supervised_crashed(struct supervised *supervised, const struct crash *crash,
			const struct passage *passage);
/* Ends the system: with its first scheduler's thread dead, the kernel has nothing to run. */
void halt(void);

/* check.c: the work of the supervisor's own thread. */
/* Looks after a supervised component. Returns when that has to be done again; LIMPET_NEVER. */
uint64_t supervised_check(struct supervised *supervised, uint64_t now);

#endif
