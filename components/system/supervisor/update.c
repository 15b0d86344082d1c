// SPDX-License-Identifier: BSD-2-Clause
/*
 * Implements interface update: receives another build of a component and restarts the component from it. The supervisor
 * does not trust the caller. It uses a build only after its checksum matches, and never takes an address to write from
 * a build.
 */
#include <runtime/memory.h>
#include <runtime/time.h>

#include <export/update.h>
#include <image/crc.h>

#include "debug.h"

/* The component whose new build is being received, or NULL. */
static struct supervised *receiver;
/* True while a thread is in one of the functions below. */
static bool busy;
/* Result of the last update that closed a component. */
static struct update_result_results last;

long supervisor_apply(word badge, word fresh, word check);

bool update_lock(void)
{
	return !__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE);
}

long update_unlock(long status)
{
	__atomic_store_n(&busy, false, __ATOMIC_RELEASE);
	return status;
}

static uint64_t build_size(const struct supervised *supervised)
{
	return LIMPET_UPDATE_PARTS * build_part(supervised);
}

/* Ends the trial first, so that a later crash does not swap the builds. A swap in progress is visible as a claim. */
static long receive(struct supervised *supervised)
{
	receiver = NULL;
	if (!supervised || !is_replaceable(supervised))
		return LIMPET_ENOENT;
	__atomic_store_n(&supervised->trial_until, 0, __ATOMIC_SEQ_CST);
	if (supervised->claimed && !supervised->closed)
		return LIMPET_EBUSY;
	memset(build_other(supervised), 0, build_size(supervised));
	supervised->other_replaced = true;
	receiver = supervised;
	return LIMPET_OK;
}

long update_serve_begin(word badge, word component)
{
	(void)badge;
	return update_lock() ? update_unlock(receive(supervised_of(component))) : LIMPET_EBUSY;
}

static long store(word at, const word piece[LIMPET_UPDATE_PIECE / 8])
{
	uint64_t size = receiver ? build_size(receiver) : 0;

	if (!receiver)
		return LIMPET_ESTATE;
	if (at % 8 || at >= size)
		return LIMPET_ERANGE;
	memcpy(build_other(receiver) + at, piece,
	       size - at < LIMPET_UPDATE_PIECE ? size - at : LIMPET_UPDATE_PIECE);
	return LIMPET_OK;
}

long update_serve_put(word badge, word at, word a, word b, word c, word d, word e)
{
	const word piece[] = { a, b, c, d, e };

	(void)badge;
	return update_lock() ? update_unlock(store(at, piece)) : LIMPET_EBUSY;
}

/* Returns the state at the beginning of a build's initial data, or NULL if the build has no state. */
static struct limpet_state_head *state_of(char *data, uint64_t size)
{
	struct limpet_state_head *state = (struct limpet_state_head *)data;

	return state->magic == LIMPET_STATE_MAGIC && state->size <= size - sizeof(*state) ? state
											  : NULL;
}

/*
 * Copies the state of a closed component into the initial data of its build, for a return to this build. Also copies it
 * to `next`, the state of the other build, unless that is NULL. Returns the number of bytes copied to `next`.
 */
static uint64_t state_pass(const struct supervised *supervised, struct limpet_state_head *state,
			   struct limpet_state_head *next)
{
	const struct limpet_state_head *live =
		(const struct limpet_state_head *)supervised->info->view;

	if (state)
		memcpy(state + 1, live + 1, state->size);
	if (!state || !next)
		return 0;
	memcpy(next + 1, live + 1, state->size);
	next->updates = state->updates + 1;
	return state->size;
}

/* Claims a component, even if it has been stopped. */
static bool claim(struct supervised *supervised)
{
	return supervised_claim(supervised) ||
	       __atomic_exchange_n(&supervised->closed, false, __ATOMIC_ACQUIRE);
}

/* Restarts a claimed component from the other build, or from the running build if that fails. */
static long replace(struct supervised *supervised)
{
	long status;

	supervised->swap = true;
	status = supervised_restore(supervised);
	last.error = (word)-status;
	if (!status) {
		say("%s: updated, %lu bytes of state kept\n", supervised->name, last.kept);
		supervised->trial_until = limpet_time() + TRIAL_MS * supervisor.ms;
		return LIMPET_UPDATE_DONE;
	}
	say("%s: the new build cannot be initialised: %s\n", supervised->name,
	    limpet_error_text(status));
	supervised->swap = true;
	return supervised_restore(supervised) ? LIMPET_UPDATE_STOPPED : LIMPET_UPDATE_FAILED;
}

/* Lets a claimed component run, or leaves it stopped. */
static void release(struct supervised *supervised, bool stopped)
{
	supervised->row = 0;
	supervised->closed = stopped;
	if (stopped)
		return;
	supervised_continue(supervised, 0);
	check_now();
}

static uint32_t crc_of(const char *data, uint64_t size)
{
	uint32_t table[256];

	crc_table_fill(table);
	return ~crc_add(table, ~0u, (const uint8_t *)data, size);
}

static bool same_interfaces(const char *code, const char *next)
{
	return !memcmp(code, next, sizeof(struct limpet_update_head));
}

static long apply(struct supervised *supervised, bool fresh, uint32_t check)
{
	uint64_t part = build_part(supervised), start;
	char *other = build_other(supervised);
	struct limpet_state_head *state = state_of(build_data(supervised), part);
	struct limpet_state_head *next = fresh ? NULL : state_of(other + 2 * part, part);
	long outcome;

	if (crc_of(other, build_size(supervised)) != check)
		return LIMPET_UPDATE_DAMAGED;
	if (!same_interfaces(build_code(supervised), other))
		return LIMPET_UPDATE_INTERFACES;
	if (state && !fresh &&
	    (!next || next->version != state->version || next->size != state->size))
		return LIMPET_UPDATE_STATE;
	if (debug_has(supervised) || !claim(supervised))
		return LIMPET_UPDATE_BUSY;
	start = limpet_time();
	receiver = NULL;
	last.kept = state_pass(supervised, state, next);
	outcome = replace(supervised);
	last.closed = limpet_time() - start;
	release(supervised, outcome == LIMPET_UPDATE_STOPPED);
	return outcome;
}

/*
 * Runs below the top of the thread's stack, because the component's initialisation may invoke the supervisor: enter.S.
 */
long supervisor_apply(word badge, word fresh, word check)
{
	unsigned int self = limpet_thread_id() % LIMPET_THREADS_MAX;
	long status;

	(void)badge;
	if (!update_lock())
		return LIMPET_EBUSY;
	supervisor_inside[self] = 1;
	status = receiver ? apply(receiver, fresh, (uint32_t)check) : LIMPET_ESTATE;
	supervisor_inside[self] = 0;
	return update_unlock(status);
}

long update_serve_result(word badge, struct update_result_results *out)
{
	(void)badge;
	*out = last;
	return LIMPET_OK;
}
