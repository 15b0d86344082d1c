/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The supervisor restarts supervised components. The thread that faulted handles the fault, at its priority: it closes
 * the component, records the crash, restores the memory and opens the component. The supervisor's own thread makes the
 * checkpoints, restarts threads that died with their component, and watches heartbeats. It also restores memory if the
 * fault came through another handler.
 *
 * No lock is needed. A thread claims a supervised component before it handles the crash. Threads that come later were
 * stopped with the component and leave. If the claiming thread dies here, the supervised component stays closed.
 *
 * The replacement of a component by another build is a restart that the calling thread of update_apply() does, at its
 * priority. It claims the component as a thread that handles a crash does.
 */
#ifndef SUPERVISOR_H
#define SUPERVISOR_H

#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include <limpet/crash.h>
#include <limpet/update.h>

_Static_assert(LIMPET_SPARES_FEW < 63, "a word has a bit for each thread of a component");

/*
 * The back-off doubles BACKOFF_DOUBLINGS times. QUIET_MS without a crash reset it, and the crashes that the limit
 * counts.
 */
#define BACKOFF_DOUBLINGS 6
#define QUIET_MS 10000
#define TRIAL_MS QUIET_MS /* a crash of a new build within this time restores the previous build */

/* Time between checks whether a thread is dead, in microseconds. It doubles from the first value to the last. */
#define POLL_FIRST 20
#define POLL_LAST 10000

struct supervised {
	const struct limpet_info_supervised *info;
	const struct limpet_image_component *record;
	const char *name;
	uint8_t claimed;	 /* a thread handles its crash, or it stays closed */
	bool closed;		 /* it stays closed */
	bool kept;		 /* it has a checkpoint */
	bool wanted;		 /* request for the supervisor's own thread: restore it */
	long status;		 /* the result of the restore */
	uint32_t waiter;	 /* 1 + id of the thread that waits for the result; 0: done */
	uint32_t restarts, row;	 /* all restarts, and those since the last quiet time */
	uint64_t crashed;	 /* time of the last crash */
	uint64_t restarting;	 /* threads to restart: bits of supervised_threads() */
	uint64_t restart_at;	 /* earliest time for that */
	uint64_t poll;		 /* ticks until the next check whether they are dead */
	uint64_t last_heartbeat; /* time of the last heartbeat, or of the start */
	/* Only if another build can replace it: */
	bool swap;	      /* it must be restored from the other build */
	bool replaced;	      /* the running build is not that of the image */
	bool other_replaced;  /* the same for the other build */
	uint64_t trial_until; /* a crash before this time restores the other build */
};

/* Returns the threads of a component: bit 0 is its own thread, bit n its spare thread n - 1. */
static inline uint64_t supervised_threads(const struct limpet_info_supervised *info)
{
	return (info->thread ? 1ul : 0) | ((1ul << info->spares) - 1) << 1;
}

struct supervisor {
	const struct limpet_image *image;
	const struct limpet_image_component *component; /* components of the image */
	uint32_t supervised_count;
	struct supervised supervised[LIMPET_COMPONENTS_MAX];
	uint64_t ms;	      /* ticks */
	uint32_t log, keeper; /* components that serve these imports; 0: not imported */
	uint32_t root;	      /* thread of the CPU's first scheduler */
	bool started;	      /* its own thread has started */
};

/* state.c: state shared by all parts. */
extern struct supervisor supervisor;
/* Indexed by thread: whether it is in the middle of a restart. See enter.S. */
extern uint8_t supervisor_inside[LIMPET_THREADS_MAX];

/* Returns the supervised component at an index of the image, or NULL if the component is not supervised. */
struct supervised *supervised_of(word component);
/* Wakes the supervisor's own thread. It then checks all supervised components. */
void check_now(void);

/* A crash: the arguments of its handler. */
struct crash {
	uint64_t time;
	word kind, address, code, ip, thread;
};

/* The ways in which a crash is reported. */
struct crash_path {
	bool fault;  /* the cause is a fault, which the kernel describes */
	bool direct; /* the thread is not in another handler, and not in the memory manager */
	bool quiet;  /* the thread is in the log, so nothing can be printed */
};

/* The outcome of a crash, as in its record. */
struct outcome {
	enum limpet_crash_outcome what;
	long status;
	uint32_t restarts, backoff_ms;
	uint64_t ticks;
	bool back; /* it went back to the build before its update */
};

/* image.c: components in the image. */
const char *image_text(uint32_t string);
/* Finds the function of an address of a component. The symbol is "" and the offset 0 if it is unknown. */
void symbol_find(uint32_t component, uint64_t address, struct limpet_crash_place *place);
/* Returns the bytes from rsp to the caller's frame at an instruction, or LIMPET_UNWIND_UNKNOWN. */
uint32_t frame_bytes(uint32_t component, uint64_t ip);
/* Returns whether an address is code of the component. */
bool code_at(uint32_t component, uint64_t address);
/* Copies a name, and truncates it at `size` - 1 bytes. Sets the remaining bytes to 0. */
void name_copy(char *to, size_t size, const char *from);
/* Writes the initial contents of a component's writable segments. Returns the address behind them. */
char *image_data(const struct supervised *supervised, char *to);

/* record.c: crash records. */
long records_init(const struct limpet_info *info);
/* Starts the record of a crash. Returns NULL if the memory is full. */
struct limpet_crash *record_begin(const struct supervised *supervised, const struct crash *crash);
/* Adds registers, backtrace and callers of the fault that the calling thread handles. */
void record_fault(struct limpet_crash *record, const struct supervised *supervised);
/* Publishes a complete record. */
void record_end(struct limpet_crash *record, const struct outcome *outcome);

/* say.c: lines for the log. */
void say_crash(const struct supervised *supervised, const struct crash *crash,
	       const struct outcome *outcome);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* build.c: the builds of a component that can be replaced. */
/* Returns whether the component can be replaced. */
static inline bool is_replaceable(const struct supervised *supervised)
{
	return supervised->info->other;
}
/* Returns the bytes of each of its three parts. */
uint64_t build_part(const struct supervised *supervised);
/* Returns its code and constants, the data with which it starts, and the same parts of the other build, together. */
char *build_code(const struct supervised *supervised);
char *build_data(const struct supervised *supervised);
char *build_other(const struct supervised *supervised);
/* Stores the initial data of the image's build, if the component can be replaced. */
void build_begin(struct supervised *supervised);
/* Exchanges the running build of a closed component with the other one. Its memory must be restored next. */
void build_swap(struct supervised *supervised);

/* update.c: the functions of interface `update`, and the start of a debugger's session, exclude each other. */
/* Returns false if another thread is in one of them. */
bool update_lock(void);
/* Returns `status`. */
long update_unlock(long status);

/* restore.c: memory. */
/* Takes a checkpoint if the policy needs one. Called by the supervisor's own thread before other threads run. */
void checkpoint_take(struct supervised *supervised);
/*
 * Restores the memory of a closed component as its policy says, initialises it if it starts from its image, and opens
 * it. If `swap` is set, it starts from its other build. The calling thread must not be in the memory manager, or in an
 * earlier handler of the fault. If this returns an error, the component is closed.
 */
long supervised_restore(struct supervised *supervised);

/* restart.c: the handling of a crash. */
/* Stops and closes the component, and returns true, unless another thread has claimed the crash. */
bool supervised_claim(struct supervised *supervised);
/* Lets the threads of an open component restart after the back-off. Releases the claim. */
void supervised_continue(struct supervised *supervised, uint32_t backoff_ms);
/* Applies the policy to a supervised component that has crashed. The caller has claimed it. */
void supervised_crashed(struct supervised *supervised, const struct crash *crash,
			const struct crash_path *path);
/* Ends the system: with its first scheduler's thread dead, the kernel has nothing to run. */
void halt(void);

/* check.c: the work of the supervisor's own thread. */
/* Does the pending work for a supervised component. Returns the time of the next call, or LIMPET_NEVER. */
uint64_t supervised_check(struct supervised *supervised, uint64_t now);

#endif
