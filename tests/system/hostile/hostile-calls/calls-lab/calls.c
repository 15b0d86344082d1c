// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hostile component gets all capabilities of a memory manager, but only to its own objects. After some batches of
 * calls all objects that it made of its frames are revoked. All frames must be free again: each becomes another object
 * before the next component is made.
 *
 * Its other threads continue from batch to batch. A thread that has invoked its own component returns with the status
 * of any RETURN call. It stores this status in the place of its invocation, which may be in a later batch. Therefore a
 * status that is not an error is a fault of the kernel only if no RETURN of that life has it.
 */
#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include <export/pong.h>
#include <import/pong.h>

#include "../../lib/adversary.h"
#include "../../lib/guarded.h"
#include "../../lib/lab.h"

#define INDEX 50u
#define OWN_FRAMES 64ul
#define SLOT_CPU 3ul
#define SLOT_FRAMES 4ul
#define SLOT_PAGE_TABLE 5ul
#define SLOT_COMPONENT 6ul
#define SLOT_GATES 7ul /* its own gates, and five of pong */
#define CALLS 255ul
#define BATCHES 24 /* of one component's life */
#define ERROR_MIN LIMPET_EINTR
#define COMPLAINTS 8
#define LONG_MAX 0x7fffffffffffffff
#define NO_STATUS LONG_MAX
#define RETURNS 256 /* of one life, with a status below all errors */
#define DATA (LIMPET_READ | LIMPET_WRITE)

struct batch {
	word next, count;
	word dirty, dirty_scratch, dirty_flags, dirty_place; /* count, and the last values */
	word padding[2];
	struct {
		struct call call;
		long status; /* NO_STATUS: the call did not return */
	} made[CALLS];
};

_Static_assert(sizeof(struct batch) <= DOMAIN_DATA_PAGES * LIMPET_PAGE, "the data pages");

extern const unsigned char loop_code[], loop_code_end[];

/* Frames, which each hostile component gets again, and the objects that are made of them. */
static struct {
	word frames, object;
	enum limpet_type type;
	word count;
} parts[] = {
	{ .type = LIMPET_PAGE_TABLE, .count = 1 }, { .type = LIMPET_TABLE, .count = 1 },
	{ .type = LIMPET_COMPONENT, .count = 1 },  { .type = LIMPET_THREAD, .count = 2 },
	{ .type = LIMPET_THREAD, .count = 2 },	   { .type = LIMPET_ENDPOINT, .count = 1 },
	{ .type = LIMPET_ENDPOINT, .count = 1 },
};
enum { PAGE_TABLE, TABLE, COMPONENT, THREAD, THREAD_2, ENDPOINT, ENDPOINT_2, PARTS };

static word own_frames, level_frames, code_frames, data_frames, stack_frames, gate;
static void *code;
static struct batch *batch;
static struct call made[CALLS]; /* the calls in the order in which they were added to the batch */
static long returns[RETURNS];
static unsigned int returns_count;
static struct adversary adversary;
static unsigned int complaints;
static uint64_t calls, crashes, lives, stops;
static struct guarded guarded;
static bool cpu_too;
static uint32_t succeeded[LIMPET_CALL_COUNT]; /* successes of each call, for people */

static void complain(const char *name, long a, word b)
{
	if (complaints++ < COMPLAINTS)
		lab_fail(name, "%ld, %lx, after %lu calls, life %lu", a, b, calls, lives);
}

static void take_frames(void)
{
	for (unsigned int i = 0; i < PARTS; i++) {
		parts[i].frames = lab_frames(parts[i].count);
		parts[i].object = lab_slot();
	}
	own_frames = lab_frames(OWN_FRAMES);
	level_frames = lab_frames(1 + DOMAIN_POOL);
	code_frames = lab_frames(1);
	data_frames = lab_frames(DOMAIN_DATA_PAGES);
	stack_frames = lab_frames(1);
	gate = lab_slot();
	code = lab_view(code_frames, 1);
	batch = lab_view(data_frames, DOMAIN_DATA_PAGES);
}

static void map(word frames, word address, word count, word rights)
{
	lab_must(limpet_call_pt_map(parts[PAGE_TABLE].object, frames, 0, address, count, rights),
		 "map the hostile component's memory");
}

static void give(word source, word slot, word rights)
{
	lab_must(limpet_call_cap_copy(LIMPET_SLOT_TABLE, source, parts[TABLE].object, slot, rights),
		 "give the hostile component a capability");
}

#define SLOT_OF(type_) (adversary.slots[type_].first)

static void give_all(void)
{
	give(parts[TABLE].object, DOMAIN_SLOT_TABLE, LIMPET_MANAGE);
	give(LIMPET_SLOT_CPU, SLOT_CPU, cpu_too ? LIMPET_ALL : LIMPET_GRANT);
	give(own_frames, SLOT_FRAMES, LIMPET_ALL);
	give(parts[PAGE_TABLE].object, SLOT_PAGE_TABLE, LIMPET_ALL);
	give(parts[COMPONENT].object, SLOT_COMPONENT, LIMPET_ALL);
	give(gate, SLOT_GATES, LIMPET_ALL);
	for (word n = 0; n < 5; n++) /* the gates of the import pong follow those of log */
		give(LIMPET_SLOT_FIRST + 1 + n, SLOT_GATES + 1 + n, LIMPET_ALL);
	give(parts[THREAD].object, SLOT_OF(LIMPET_THREAD), LIMPET_ALL);
	give(parts[THREAD_2].object, SLOT_OF(LIMPET_THREAD) + 1, LIMPET_ALL);
	give(parts[ENDPOINT].object, SLOT_OF(LIMPET_ENDPOINT), LIMPET_ALL);
	give(parts[ENDPOINT_2].object, SLOT_OF(LIMPET_ENDPOINT) + 1, LIMPET_ALL);
}

static void life_begin(void)
{
	lives++;
	returns_count = 0;
	for (unsigned int i = 0; i < PARTS; i++)
		lab_must(limpet_call_frame_retype(parts[i].frames, parts[i].type, LIMPET_SLOT_TABLE,
						  parts[i].object),
			 "make the hostile component");
	lab_must(limpet_call_pt_extend(parts[PAGE_TABLE].object, level_frames),
		 "give the hostile component pages for its page table");
	lab_must(limpet_call_component_activate(parts[COMPONENT].object, parts[PAGE_TABLE].object,
						parts[TABLE].object, DOMAIN_STACKS,
						DOMAIN_STACK_SHIFT, INDEX),
		 "activate the hostile component");
	/* An earlier life can have changed it, because MEMORY_WRITE ignores the rights of a mapping. */
	memcpy(code, loop_code, (size_t)(loop_code_end - loop_code));
	map(code_frames, DOMAIN_CODE, 1, LIMPET_READ | LIMPET_EXEC);
	map(data_frames, DOMAIN_DATA, DOMAIN_DATA_PAGES, DATA);
	map(stack_frames, domain_stack(limpet_info()->thread) - LIMPET_PAGE, 1, DATA);
	lab_must(limpet_call_gate_create(parts[COMPONENT].object, DOMAIN_CODE, 1, LIMPET_SLOT_TABLE,
					 gate),
		 "make the hostile component's gate");
	give_all();
}

/* Deletes the objects. A component is deleted only after the threads inside it. */
static bool take_apart(void)
{
	for (unsigned int pass = 0; pass < 4; pass++) {
		bool all = lab_revoke(own_frames) == LIMPET_OK;

		for (unsigned int i = PARTS; i-- > 0;)
			all &= lab_revoke(parts[i].frames) == LIMPET_OK;
		if (all)
			return true;
	}
	return false;
}

/* Checks that all frames are free. Otherwise they could not become a kernel object. */
static void life_end(void)
{
	word slot = lab_slot();
	long status;

	if (!take_apart())
		complain("the hostile component cannot be taken apart", lab_revoke(own_frames), 0);
	status = limpet_call_frame_retype(own_frames, LIMPET_TABLE, LIMPET_SLOT_TABLE, slot);
	if (status)
		complain("its frames are not all free", status, 0);
	else
		lab_must(lab_delete(slot), "delete a table");
	lab_slot_drop(slot);
}

static void returns_note(const struct call *call)
{
	const long status = (long)call->words[3];

	if (call->rax != LIMPET_CALL(LIMPET_CALL_RETURN) || status >= ERROR_MIN)
		return;
	if (returns_count == RETURNS)
		complain("too many RETURN calls", returns_count, 0);
	else
		returns[returns_count++] = status;
}

static bool status_known(long status)
{
	for (unsigned int i = 0; i < returns_count; i++)
		if (returns[i] == status)
			return true;
	return status >= ERROR_MIN;
}

static void batch_begin(void)
{
	batch->next = 0;
	batch->dirty = 0;
	batch->count = 0;
}

static void batch_add(struct call call)
{
	returns_note(&call);
	made[batch->count] = call;
	batch->made[batch->count].call = call;
	batch->made[batch->count++].status = NO_STATUS;
}

static void batch_make(void)
{
	batch_begin();
	for (word i = 0; i < CALLS; i++)
		batch_add(adversary_call(&adversary));
}

static void dirty_complain(void)
{
	word n = (batch->dirty_place - DOMAIN_DATA - offsetof(struct batch, made)) /
		 sizeof(batch->made[0]);
	const struct call *call = &made[n < CALLS ? n : 0];

	complain("registers were not cleared", (long)batch->dirty_scratch, batch->dirty_flags);
	if (n < CALLS)
		limpet_print("call %lu of the batch: %lx (%lx %lx %lx %lx %lx %lx), status %ld\n",
			     n, call->rax, call->words[0], call->words[1], call->words[2],
			     call->words[3], call->words[4], call->words[5], batch->made[n].status);
}

/* Checks that each call has a possible status, or did not return. */
static void batch_check(word count)
{
	for (word i = 0; i < count; i++) {
		const long status = batch->made[i].status;
		const word op = (word)(-4096 - made[i].rax);

		if (status == NO_STATUS)
			continue;
		if (op < LIMPET_CALL_COUNT && status >= 0)
			succeeded[op]++;
		if (op < (word)LONG_MAX && !status_known(status))
			complain("a status that is no error", status, (word)made[i].rax);
	}
	if (batch->dirty)
		dirty_complain();
}

/* Returns whether the component can make another batch. */
static bool batch_run(void)
{
	static const word none[6];
	struct after after;
	word count;
	long status;

	guarded_begin(&guarded);
	status = lab_syscall(LIMPET_INVOKE(gate), none, &after);
	guarded_end(&guarded);
	count = batch->next < batch->count ? batch->next : batch->count;
	batch_check(count);
	calls += count;
	crashes += status == LIMPET_ECRASH;
	return count > 0;
}

#define CALL(name, ...)                                                                            \
	{                                                                                          \
		LIMPET_CALL(LIMPET_CALL_##name),                                                   \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
#define LATE_PLACE 3
#define LATE_STATUS (-4096)
#define LATE_TRIES 20

static bool batch_of(const struct call *wanted, unsigned int count)
{
	batch_begin();
	for (unsigned int i = 0; i < count; i++)
		batch_add(wanted[i]);
	return batch_run();
}

/*
 * Makes a late status. A second thread invokes its own component and waits there. In the next batch it returns with
 * -4096, and stores that in the place of a NOP. Sets *known if that status was already known. Returns false if the
 * guard stopped the component first, because a loaded machine can be that slow. Also returns false if the first thread
 * made the second one's calls. This happens if a timer event comes after its dispatch, because the scheduler then
 * dispatches the first thread.
 */
static bool late_make(bool *known)
{
	const word thread = SLOT_OF(LIMPET_THREAD), endpoint = SLOT_OF(LIMPET_ENDPOINT);
	const struct call wait[] = {
		CALL(ENDPOINT_BIND, endpoint, thread),
		CALL(THREAD_START, thread, SLOT_COMPONENT, DOMAIN_CODE, 0, adversary.threads_first),
		CALL(THREAD_DISPATCH, thread),
		/* The second thread makes this and the next call. */
		{ LIMPET_INVOKE(SLOT_GATES), { 0 } },
		CALL(ENDPOINT_RECEIVE, endpoint),
	};
	const struct call rest[] = {
		CALL(ENDPOINT_SEND, endpoint, 1),
		CALL(NOP),
		CALL(NOP),
		CALL(NOP),
		CALL(THREAD_DISPATCH, thread),
		CALL(RETURN, 0, 0, 0, (word)LATE_STATUS), /* the second thread makes this call */
	};
	const uint64_t before = __atomic_load_n(&stops, __ATOMIC_SEQ_CST);

	batch_of(wait, array_size(wait));
	*known = status_known(LATE_STATUS);
	batch_of(rest, array_size(rest));
	return __atomic_load_n(&stops, __ATOMIC_SEQ_CST) == before &&
	       batch->made[LATE_PLACE].status == LATE_STATUS;
}

/* Checks that a late status is recognised. */
static void late_show(void)
{
	bool known = false, made = false;

	for (unsigned int tries = 0; !made && tries < LATE_TRIES; tries++) {
		if (tries)
			life_end();
		life_begin();
		made = late_make(&known);
	}
	if (known || !made)
		complain("no status was late", batch->made[LATE_PLACE].status, known);
	else if (!complaints)
		lab_pass("a late status is not mistaken for the status of another call");
	life_end();
}

/*
 * Called by the guard. Stops the hostile component if it made no progress, because its thread waits for an event or
 * another one of its threads has the CPU.
 */
long pong_serve_call0(word badge)
{
	(void)badge;
	if (!guarded_stuck(&guarded))
		return LIMPET_OK;
	__atomic_fetch_add(&stops, 1, __ATOMIC_SEQ_CST);
	return limpet_call_component_stop(parts[COMPONENT].object);
}

static void setup(const struct limpet_info *info)
{
	cpu_too = limpet_arg_number(info, "cpu", 0);
	adversary = (struct adversary){
		.state = (word)limpet_arg_number(info, "seed", 1),
		.slots_end = DOMAIN_SLOTS + 2,
		.threads_first = info->threads + 1,
		.foreign = 1,
		.given_end = SLOT_GATES + 6,
		.slots = { [LIMPET_TABLE] = { 13, 6, DOMAIN_SLOT_TABLE },
			   [LIMPET_FRAMES] = { 19, 12, SLOT_FRAMES },
			   [LIMPET_PAGE_TABLE] = { 31, 4, SLOT_PAGE_TABLE },
			   [LIMPET_COMPONENT] = { 35, 5, SLOT_COMPONENT },
			   [LIMPET_THREAD] = { 40, 6, 0 },
			   [LIMPET_ENDPOINT] = { 46, 6, 0 },
			   [LIMPET_GATE] = { 52, 6, SLOT_GATES },
			   [LIMPET_CHANNEL] = { 58, 2, 0 },
			   [LIMPET_CPU] = { 60, 2, SLOT_CPU } },
	};
	take_frames();
}

void component_main(const struct limpet_info *info)
{
	word rounds = (word)limpet_arg_number(info, "rounds", 150000);
	bool print = limpet_arg_number(info, "print", 0);

	setup(info);
	late_show();
	while (calls < rounds && complaints < 100) {
		life_begin();
		for (unsigned int n = 0; n < BATCHES; n++) {
			batch_make();
			if (!batch_run())
				break;
			if (print)
				limpet_print("%lu calls\n", calls);
		}
		life_end();
	}
	limpet_print("%lu calls, %lu lives, %lu crashes, %lu stops, seed %ld\n", calls, lives,
		     crashes, stops, limpet_arg_number(info, "seed", 1));
	for (unsigned int op = 0; op < LIMPET_CALL_COUNT; op++)
		limpet_print("%u:%u%s", op, succeeded[op], op + 1 < LIMPET_CALL_COUNT ? " " : "\n");
	if (!complaints)
		lab_pass("every call ends in a status or a fault; frames come back");
	lab_done();
}
