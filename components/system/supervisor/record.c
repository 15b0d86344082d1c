// SPDX-License-Identifier: BSD-2-Clause
/*
 * Crash records. A record is made in private memory and copied when it is complete, because memory that is shared with
 * Linux must only be written, never read.
 */
#include <runtime/memory.h>
#include <runtime/time.h>

#include <image/symbol.h>

#include "supervisor.h"

#define RECORDS_MAX 15

static struct limpet_crash_log *shared;
static uint32_t records;
static uint64_t crashes, lost;
static struct limpet_crash draft[RECORDS_MAX];
static bool taken[RECORDS_MAX]; /* a thread writes the draft */
static uint32_t sequence[RECORDS_MAX];

long records_init(const struct limpet_info *info)
{
	if (info->channel_size < 2ul * LIMPET_CRASH_PAGE)
		return LIMPET_ENOENT;
	shared = (struct limpet_crash_log *)info->channel;
	records = (uint32_t)(info->channel_size / LIMPET_CRASH_PAGE) - 1;
	records = records < RECORDS_MAX ? records : RECORDS_MAX;
	crashes = lost = 0;
	memset(shared, 0, LIMPET_CRASH_PAGE);
	shared->version = LIMPET_CRASH_VERSION;
	shared->records = records;
	shared->begin = limpet_time();
	shared->ticks_per_ms = info->ticks_per_ms;
	__atomic_store_n(&shared->magic, LIMPET_CRASH_MAGIC, __ATOMIC_RELEASE);
	return LIMPET_OK;
}

/* Takes the place of a crash, unless another thread still writes there. */
static struct limpet_crash *place_take(uint64_t number)
{
	uint32_t slot = (uint32_t)(number % records);

	if (!__atomic_exchange_n(&taken[slot], true, __ATOMIC_ACQUIRE))
		return &draft[slot];
	__atomic_fetch_add(&lost, 1, __ATOMIC_RELAXED);
	return NULL;
}

struct limpet_crash *record_begin(const struct supervised *supervised, const struct crash *crash)
{
	uint64_t number = __atomic_fetch_add(&crashes, 1, __ATOMIC_RELAXED);
	struct limpet_crash *record = place_take(number);

	if (!record)
		return NULL;
	record->component = supervised->info->component;
	record->number = number;
	record->time = crash->time;
	record->kind = (uint32_t)crash->kind;
	record->thread = (uint32_t)crash->thread;
	record->address = crash->address;
	record->code = crash->code;
	record->frames = record->callers = 0;
	name_copy(record->name, sizeof(record->name), supervised->name);
	memset(record->registers, 0, sizeof(record->registers));
	return record;
}

static void registers_read(uint64_t *to, word component)
{
	for (word what = 0; what < LIMPET_FAULT_REGISTERS; what++) {
		struct limpet_out out = { 0 };

		limpet_call_fault_read(component, what, &out);
		to[what * 3] = out.w0;
		to[what * 3 + 1] = out.w1;
		to[what * 3 + 2] = out.w2;
	}
}

/* Reads a word of the component's memory. Returns false if it is not mapped. */
static bool word_read(const struct supervised *supervised, uint64_t address, uint64_t *value)
{
	struct limpet_out out;

	if (address % 8 || limpet_call_memory_read(LIMPET_SLOT_SPACES + supervised->info->component,
						   address, &out))
		return false;
	*value = out.w0;
	return true;
}

/* The function is that of the byte `back` bytes before ip. */
static void frame_add(struct limpet_crash *record, uint64_t ip, uint32_t back)
{
	struct limpet_crash_place *place = &record->frame[record->frames++];

	symbol_find(record->component, ip - back, place);
	place->address = ip;
	if (place->symbol[0])
		place->offset += back;
}

/*
 * Adds the place of the crash, and the calls that led there. If the component called an address that is not code, the
 * return address is at the top of the stack. A return address is after the call, so the byte before it is looked up.
 * The address itself can belong to the next function, if the call does not return.
 */
static void frames_add(struct limpet_crash *record, const struct supervised *supervised,
		       uint64_t ip, uint64_t sp)
{
	uint32_t bytes = 8;

	if (code_at(record->component, ip))
		bytes = frame_bytes(record->component, ip);
	frame_add(record, ip, 0);
	while (bytes != LIMPET_UNWIND_UNKNOWN && record->frames < LIMPET_CRASH_FRAMES) {
		sp += bytes;
		if (!word_read(supervised, sp - 8, &ip) || !code_at(record->component, ip - 1))
			return;
		frame_add(record, ip, 1);
		bytes = frame_bytes(record->component, ip - 1);
	}
}

static void callers(struct limpet_crash *record, word component)
{
	struct limpet_out out;

	while (record->callers < LIMPET_CRASH_CALLERS &&
	       !limpet_call_fault_read(component, LIMPET_FAULT_CALLER(record->callers), &out) &&
	       out.w0 < supervisor.image->components) {
		uint32_t by = (uint32_t)out.w0;

		symbol_find(by, out.w1, &record->caller[record->callers]);
		name_copy(record->caller_name[record->callers++], sizeof(record->caller_name[0]),
			  image_text(supervisor.component[by].name));
	}
}

void record_fault(struct limpet_crash *record, const struct supervised *supervised)
{
	word component = LIMPET_SLOT_COMPONENTS + supervised->info->component;

	registers_read(record->registers, component);
	frames_add(record, supervised, record->registers[16], record->registers[7]);
	callers(record, component);
}

void record_end(struct limpet_crash *record, const struct outcome *outcome)
{
	uint32_t slot = (uint32_t)(record - draft);
	struct limpet_crash *to =
		(struct limpet_crash *)((char *)shared + (slot + 1ul) * LIMPET_CRASH_PAGE);

	record->outcome = outcome->what;
	record->error = (int32_t)outcome->status;
	record->restarts = outcome->restarts;
	record->backoff_ms = outcome->backoff_ms;
	record->ticks = outcome->ticks;
	record->sequence = sequence[slot] + 1;
	__atomic_store_n(&to->sequence, record->sequence, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	memcpy(to, record, sizeof(*to));
	sequence[slot] += 2;
	__atomic_store_n(&to->sequence, sequence[slot], __ATOMIC_RELEASE);
	__atomic_store_n(&shared->lost, __atomic_load_n(&lost, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
	__atomic_store_n(&shared->crashes, __atomic_load_n(&crashes, __ATOMIC_RELAXED),
			 __ATOMIC_RELEASE);
	__atomic_store_n(&taken[slot], false, __ATOMIC_RELEASE);
}
