// SPDX-License-Identifier: BSD-2-Clause
/*
 * Tests the supervisor's decisions on a fake kernel that records closed components and dead threads. The supervised
 * component has a page of data that the image fills, and a page of heap.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <runtime/component.h>
#include <runtime/kernel_call.h>

#include <export/faults.h>
#include <export/heartbeat.h>
#include <export/update.h>
#include <image/crc.h>

#include "../../../components/system/supervisor/supervisor.h"

#define MS 1000000ul
#define OWN                                                                                        \
	1 /* thread of the supervisor, and of its scheduler 2, of the supervised component 3 and 4 */
#define FAULTED 5    /* a thread of another component, which crashes in the supervised one */
#define SUPERVISED 2 /* components: 1 is the supervisor, 3 its scheduler, 4 a memory manager */
#define PAGE 4096ul

long supervisor_handle(word badge, word kind, word address, word code, word ip, word thread,
		       word component);

static struct {
	struct limpet_image head;
	struct limpet_image_component component[5];
	struct limpet_image_segment segment[3];
	char strings[64];
	char content[64];
	struct limpet_image_symbol symbol[2];
	struct limpet_image_unwind unwind;
} image;
static struct limpet_info_supervised given;
static _Alignas(8) char view[2 * PAGE], kept[2 * PAGE], code[2 * PAGE], other[4 * PAGE];
static _Alignas(4096) char channel[16 * PAGE];
const struct limpet_info __limpet_info = {
	.index = 1,
	.thread = OWN,
	.ticks_per_ms = MS,
	.threads = 5,
	.channel = (uint64_t)channel,
	.channel_size = sizeof(channel),
	.image = (uint64_t)&image,
	.supervised = 1,
	.supervision = (uint64_t)&given,
	.thread_of = (const struct limpet_info_thread[]){ [OWN] = { 1, 255, 3, 0 },
							  [2] = { 3, 255, 0, 0 },
							  [3] = { SUPERVISED, 9, 3, 0 },
							  [4] = { SUPERVISED, 9, 3,
								  LIMPET_THREAD_SPARE },
							  [5] = { 0 } },
};

static uint64_t now;
static unsigned int current = FAULTED;
static bool closed, halted, dead[LIMPET_THREADS_MAX];
static unsigned int started, inits, init_fails, rollbacks, forgets, wakes;
static bool slow; /* the supervisor's own thread begins in time, but needs longer than the limit */
static long init_status, mark_status, rollback_status, read_status;
static word started_how[LIMPET_THREADS_MAX];
static word own_priority,
	init_priority; /* of the supervisor's own thread: now, and in the last initialisation */
static uint64_t fault_ip, fault_sp, fault_top; /* fault_top is the word at fault_sp */

unsigned int limpet_thread_id(void)
{
	return current;
}

uint64_t limpet_time(void)
{
	return now;
}

static char line[256]; /* the last line that was printed */

void limpet_write(const char *text, size_t size)
{
	assert_true(size && text[size - 1] == '\n' && strnlen(text, size) == size);
	assert_true(size < sizeof(line));
	memcpy(line, text, size);
	line[size] = 0;
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	if (op > LIMPET_CALL(0)) { /* the only gate is the start of the supervised component */
		inits++;
		init_priority = own_priority;
		assert_false(closed);
		if (init_fails) {
			init_fails--;
			return LIMPET_ENOMEM;
		}
		return init_status;
	}
	switch (LIMPET_CALL(0) - op) {
	case LIMPET_CALL_COMPONENT_STOP:
		if (in[0] == LIMPET_SLOT_STOP)
			return LIMPET_OK;
		assert_int_equal(in[0], LIMPET_SLOT_COMPONENTS + SUPERVISED);
		closed = in[1];
		return LIMPET_OK;
	case LIMPET_CALL_COMPONENT_OPEN:
		closed = false;
		return LIMPET_OK;
	case LIMPET_CALL_THREAD_DISPATCH:
		halted = in[0] == LIMPET_SLOT_THREADS + 2;
		return LIMPET_OK;
	case LIMPET_CALL_FAULT_READ:
		*out = (struct limpet_out){ in[1], in[1], in[1] };
		if (fault_ip && in[1] == 2)
			out->w1 = fault_sp; /* register 7 */
		if (fault_ip && in[1] == 5)
			out->w1 = fault_ip; /* register 16 */
		return in[1] < LIMPET_FAULT_REGISTERS ? read_status : LIMPET_ENOENT;
	case LIMPET_CALL_MEMORY_READ:
		out->w0 = fault_top;
		return in[1] == fault_sp ? LIMPET_OK : LIMPET_ENOENT;
	case LIMPET_CALL_THREAD_INFO:
		out->w2 = dead[in[0] - LIMPET_SLOT_THREADS] ? LIMPET_THREAD_DEAD
							    : LIMPET_THREAD_READY;
		return LIMPET_OK;
	case LIMPET_CALL_THREAD_START:
		assert_int_equal(in[5], LIMPET_SLOT_ENDPOINTS + 2);
		started++;
		started_how[in[4]] = in[3];
		dead[in[4]] = false;
		return LIMPET_OK;
	case LIMPET_CALL_GATE_CREATE:
		return in[4] == LIMPET_SLOT_GATES ? LIMPET_EFULL : LIMPET_OK;
	case LIMPET_CALL_CAP_DELETE:
		assert_int_equal(in[1], LIMPET_SLOT_GATES + 1);
		return LIMPET_OK;
	}
	return LIMPET_ENOENT;
}

long sched_wake(word thread)
{
	wakes += thread == OWN;
	return LIMPET_OK;
}

long sched_resume(word thread)
{
	(void)thread;
	return LIMPET_OK;
}

long sched_priority(word thread, word priority)
{
	word before = own_priority;

	assert_int_equal(thread, OWN);
	own_priority = priority;
	return (long)before;
}

long sched_block_until(word deadline)
{
	(void)deadline;
	return LIMPET_OK;
}

/* The supervisor's own thread acts after it has been woken. */
long sched_suspend_for(word owner, word deadline)
{
	struct supervised *supervised = &supervisor.supervised[0];
	unsigned int self = current;

	assert_int_equal(owner, OWN);
	if (!wakes || slow) {
		assert_int_equal(deadline, now + 1000 * MS);
		now = deadline;
		supervised->wanted = !wakes;
		slow = false;
		return LIMPET_ETIME;
	}
	if (!supervised->wanted) {
		assert_int_equal(deadline, LIMPET_NEVER);
		supervised->wanted = true;
	}
	current = OWN;
	supervised_check(&supervisor.supervised[0], now);
	current = self;
	return LIMPET_OK;
}

long sched_suspend_on(word object, word since, word owner, word deadline)
{
	(void)object, (void)since, (void)owner, (void)deadline;
	fail();
	return LIMPET_OK;
}

long sched_resume_all(word object)
{
	(void)object;
	return LIMPET_ENOENT;
}

long keeper_mark(word component)
{
	assert_int_equal(component, SUPERVISED);
	return mark_status;
}

long keeper_rollback(word component)
{
	assert_int_equal(component, SUPERVISED);
	rollbacks += current == OWN ? 100 : 1;
	return rollback_status;
}

long keeper_forget(word component)
{
	assert_int_equal(component, SUPERVISED);
	forgets++;
	return LIMPET_ESLOT;
}

static struct limpet_image_component *supervised_record(void)
{
	return &image.component[SUPERVISED];
}

static int setup(void **state)
{
	(void)state;
	now = 7 * QUIET_MS * MS;
	current = FAULTED;
	closed = halted = slow = false;
	started = inits = init_fails = rollbacks = forgets = wakes = 0;
	init_status = rollback_status = read_status = 0;
	mark_status = LIMPET_ESLOT;
	own_priority = 255;
	memset(dead, 0, sizeof(dead));
	fault_ip = 0;
	image.head = (struct limpet_image){
		.components = 5,
		.components_at = offsetof(typeof(image), component),
		.segments_at = offsetof(typeof(image), segment),
		.strings_at = offsetof(typeof(image), strings),
	};
	image.segment[0] =
		(struct limpet_image_segment){ 0xe000, PAGE, 64, 0, LIMPET_READ | LIMPET_EXEC, 0 };
	image.segment[1] = (struct limpet_image_segment){ 0xf000, PAGE, 64, 0, LIMPET_READ, 0 };
	image.segment[2] = (struct limpet_image_segment){
		0x10000, PAGE, 8, offsetof(typeof(image), content), LIMPET_READ | LIMPET_WRITE, 0
	};
	memcpy(image.content, "contents", 8);
	*supervised_record() =
		(struct limpet_image_component){ .segment = 2,
						 .segments = 1,
						 .restart = LIMPET_RESTART_CHECKPOINT,
						 .restart_limit = 3,
						 .entry = 64 };
	given = (struct limpet_info_supervised){
		SUPERVISED, 2, 3, 4, 1, 0, (uint64_t)view, (uint64_t)kept, sizeof(view), 0, 0
	};
	assert_int_equal(component_init(&__limpet_info), LIMPET_OK);
	supervisor.started = true;
	memset(view, 'v', sizeof(view));
	memset(kept, 0, sizeof(kept));
	return 0;
}

static struct supervised *supervised(void)
{
	return &supervisor.supervised[0];
}

/* Simulates a fault that the kernel reports, directly or through the handler `badge`. */
static void fault_by(word badge)
{
	memset(view, 'x', 16);
	assert_int_equal(supervisor_handle(badge, 14, 0x123, 6, fault_ip ? fault_ip : 0x10004,
					   FAULTED, SUPERVISED),
			 LIMPET_ECRASH);
}

static void fault(void)
{
	fault_by(SUPERVISED + 1);
}

static const struct limpet_crash *record_of(uint64_t number)
{
	return (const void *)(channel + (number % 15 + 1) * PAGE);
}

static void outcome_was(uint64_t number, enum limpet_crash_outcome outcome)
{
	const struct limpet_crash *r = record_of(number);

	assert_int_equal(((struct limpet_crash_log *)channel)->crashes, number + 1);
	assert_int_equal(r->number, number);
	assert_true(r->sequence && r->sequence % 2 == 0);
	assert_int_equal(r->outcome, outcome);
}

static void test_checkpoint(void **state)
{
	(void)state;
	checkpoint_take(supervised());
	fault();
	assert_memory_equal(view, "vvvvvvvv", 8);
	assert_false(closed);
	assert_int_equal(inits, 0);
	outcome_was(0, LIMPET_CRASH_CHECKPOINT);
	assert_int_equal(record_of(0)->restarts, 1);
	assert_int_equal(record_of(0)->registers[6], 2);
	fault();
	outcome_was(1, LIMPET_CRASH_CHECKPOINT);
}

/* The last instruction of `ends` is a call of `fails`, which is the next function. */
static void test_caller_that_ends_with_a_call(void **state)
{
	const struct limpet_crash *r = record_of(0);

	(void)state;
	image.head.symbols_at = offsetof(typeof(image), symbol);
	image.head.unwinds_at = offsetof(typeof(image), unwind);
	memcpy(image.strings, "ends\0fails", sizeof("ends\0fails"));
	image.symbol[0] = (struct limpet_image_symbol){ 0, 0 };
	image.symbol[1] = (struct limpet_image_symbol){ 32, 5 };
	image.unwind = (struct limpet_image_unwind){ 0, 8 };
	supervised_record()->segment = 0;
	supervised_record()->symbols = 2;
	supervised_record()->unwinds = 1;
	fault_ip = 0xe000 + 40;
	fault_sp = 0x20000;
	fault_top = 0xe000 + 32;
	fault();
	assert_int_equal(r->frames, 2);
	assert_string_equal(r->frame[0].symbol, "fails");
	assert_int_equal(r->frame[0].offset, 8);
	assert_string_equal(r->frame[1].symbol, "ends");
	assert_int_equal(r->frame[1].offset, 32);
	assert_int_equal(r->frame[1].address, fault_top);
	assert_non_null(strstr(line, ": write of unmapped address 0x123 in fails+0x8, thread "));
}

/* The component restarts from the image without space for a checkpoint. */
static void test_image(void **state)
{
	(void)state;
	mark_status = LIMPET_ENOMEM;
	checkpoint_take(supervised());
	fault();
	assert_memory_equal(view, "contents\0\0\0\0", 12);
	assert_int_equal(view[sizeof(view) - 1], 0);
	assert_int_equal(inits, 1);
	outcome_was(0, LIMPET_CRASH_IMAGE);
	init_status = LIMPET_ENOMEM;
	fault();
	assert_true(closed);
	outcome_was(1, LIMPET_CRASH_FAILED);
	assert_int_equal(record_of(1)->error, LIMPET_ENOMEM);
	fault(); /* ignored: the component is closed permanently */
	outcome_was(1, LIMPET_CRASH_FAILED);
}

static void test_stop_and_halt(void **state)
{
	(void)state;
	supervised_record()->restart = LIMPET_RESTART_STOP;
	fault();
	assert_true(closed);
	outcome_was(0, LIMPET_CRASH_STOPPED);
	assert_false(halted);
	setup(state);
	supervised_record()->restart = LIMPET_RESTART_HALT;
	fault();
	assert_true(halted);
}

/* Memory managers do not restart, because they contain state of other components. */
static void test_no_restart(void **state)
{
	(void)state;
	supervised_record()->flags = LIMPET_COMPONENT_MEMORY;
	fault();
	assert_true(closed);
	assert_int_equal(record_of(0)->error, LIMPET_ESTATE);
}

static void test_limit(void **state)
{
	(void)state;
	checkpoint_take(supervised());
	for (unsigned int i = 0; i < 3; i++)
		fault();
	now += (QUIET_MS + 1) * MS; /* the crashes are too old to count */
	for (unsigned int i = 0; i < 3; i++) {
		fault();
		assert_false(closed);
	}
	fault();
	assert_true(closed);
	assert_int_equal(supervised()->restarts, 6);
	assert_int_equal(record_of(6)->outcome, LIMPET_CRASH_LIMIT);
}

/* Threads restart after they are dead and the back-off is over: 5 ms, 10 ms. */
static void test_threads(void **state)
{
	(void)state;
	supervised_record()->restart_backoff_ms = 5;
	checkpoint_take(supervised());
	fault();
	assert_int_equal(supervised_check(supervised(), now), now + 5 * MS);
	now += 5 * MS;
	dead[3] = true;
	assert_true(supervised_check(supervised(), now) < now + MS);
	assert_int_equal(started, 1);
	assert_int_equal(started_how[3], 1);
	dead[4] = true;
	assert_int_equal(supervised_check(supervised(), now), LIMPET_NEVER);
	assert_int_equal(started_how[4], 2);
	fault();
	assert_int_equal(supervised_check(supervised(), now), now + 10 * MS);
}

static void test_heartbeat(void **state)
{
	(void)state;
	supervised_record()->heartbeat_ms = 20;
	checkpoint_take(supervised());
	current = OWN;
	supervised()->last_heartbeat = now;
	assert_int_equal(supervised_check(supervised(), now), now + 20 * MS);
	now += 19 * MS;
	assert_int_equal(heartbeat_serve_beat(SUPERVISED + 1), LIMPET_OK);
	assert_int_equal(heartbeat_serve_beat(SUPERVISED + 2), LIMPET_ENOENT);
	assert_int_equal(supervised_check(supervised(), now), now + 20 * MS);
	now += 20 * MS;
	supervised_check(supervised(), now);
	assert_int_equal(supervised()->restarts, 1);
	assert_false(closed);
	assert_memory_equal(view, "vvvv", 4);
}

/*
 * The supervisor's own thread initialises a component at the component's priority, and another thread at its own. Both
 * ways end with the supervisor's priority.
 */
static void test_priority_of_initialisation(void **state)
{
	(void)state;
	supervised_record()->restart = LIMPET_RESTART_IMAGE;
	supervised_record()->heartbeat_ms = 20;
	for (unsigned int priority = 0; priority < 10; priority += 9) {
		supervised_record()->priority = priority;
		current = OWN;
		now += 20 * MS;
		supervised_check(supervised(), now);
		assert_int_equal(init_priority, priority ? priority : 1);
		assert_int_equal(own_priority, 255);
	}
	assert_int_equal(inits, 2);
	current = FAULTED;
	fault();
	assert_int_equal(inits, 3);
	assert_int_equal(init_priority, 255);
	init_status = LIMPET_ENOMEM;
	current = OWN;
	now += 20 * MS;
	supervised_check(supervised(), now);
	assert_true(closed);
	assert_int_equal(own_priority, 255);
}

/*
 * Handles a fault that passed through the memory manager. If the supervisor's thread begins to restore the component,
 * the thread waits until that is done. If it does not begin, the component is closed, and stays closed if it runs later.
 */
static void test_indirect(void **state)
{
	(void)state;
	checkpoint_take(supervised());
	fault_by(4 + 1);
	assert_int_equal(rollbacks, 100);
	assert_false(closed);
	fault();
	assert_int_equal(rollbacks, 101);
	slow = true;
	fault_by(4 + 1);
	assert_int_equal(rollbacks, 201);
	assert_false(closed);
	assert_false(supervised()->claimed);
	assert_true(supervised()->restarting);
	wakes = 0;
	supervisor.started = false;
	fault_by(4 + 1);
	assert_true(closed);
	assert_int_equal(rollbacks, 201);
	current = OWN;
	supervised_check(supervised(), now);
	assert_true(closed);
	assert_int_equal(rollbacks, 201);
}

static void test_rollback_fails(void **state)
{
	(void)state;
	mark_status = LIMPET_OK;
	checkpoint_take(supervised());
	rollback_status = LIMPET_ECRASH;
	fault();
	assert_true(closed);
}

static void test_strangers(void **state)
{
	(void)state;
	assert_int_equal(supervisor_handle(9, 14, 0, 0, 0, FAULTED, SUPERVISED + 1), LIMPET_ECRASH);
	assert_false(closed);
}

/* A program cannot cause a restart of another component, because its thread does not handle a fault of that component. */
static void test_false_fault(void **state)
{
	(void)state;
	read_status = LIMPET_ESTATE;
	fault();
	assert_int_equal(((struct limpet_crash_log *)channel)->crashes, 0);
	assert_int_equal(inits, 0);
}

/*
 * The thread handles its crash although thread 70 % 64 handles another one. A second fault of the thread is then
 * refused.
 */
static void test_thread_above_63(void **state)
{
	const struct limpet_crash_log *log = (const void *)channel;

	(void)state;
	current = 70;
	supervisor_inside[70 % 64] = 1;
	assert_int_equal(faults_serve_handle(SUPERVISED + 1, 14, 0x123, 6, 0x10004, 70, SUPERVISED),
			 LIMPET_ECRASH);
	assert_int_equal(log->crashes, 1);
	assert_int_equal(supervisor_inside[70], 0);
	supervised()->claimed = 0;
	supervisor_inside[70 % 64] = 0;
	supervisor_inside[70] = 1;
	assert_int_equal(faults_serve_handle(SUPERVISED + 1, 14, 0x123, 6, 0x10004, 70, SUPERVISED),
			 LIMPET_ECRASH);
	assert_int_equal(log->crashes, 1);
	supervisor_inside[70] = 0;
	current = FAULTED;
}

/* A test build: the interfaces that its code names, a mark in its code, its state, and a mark in its data. */
struct build {
	struct limpet_update_head head;
	char code[PAGE - sizeof(struct limpet_update_head)];
	char constants[PAGE];
	struct limpet_state_head state;
	uint64_t value;
	char data[PAGE - sizeof(struct limpet_state_head) - 8];
};

static struct build next;

static void build_make(struct build *build, char mark, uint32_t version, uint64_t value)
{
	memset(build, 0, sizeof(*build));
	build->head = (struct limpet_update_head){ LIMPET_UPDATE_MAGIC, 77 };
	build->state = (struct limpet_state_head){ LIMPET_STATE_MAGIC, version, 8, 0, 0 };
	build->value = value;
	memset(build->code, mark, 100);
	build->data[0] = build->constants[0] = mark;
}

/* Makes the supervised component replaceable. Build 'a' runs. Its state was 1 and is now 5. */
static int setup_update(void **state)
{
	static struct build first;

	setup(state);
	build_make(&first, 'a', 1, 1);
	memcpy(code, &first, sizeof(code));
	memcpy(image.content, &first.state, sizeof(image.content));
	image.segment[2].file_size = sizeof(image.content);
	supervised_record()->segment = 0;
	supervised_record()->segments = 3;
	given.code = (uint64_t)code;
	given.other = (uint64_t)other;
	assert_int_equal(component_init(&__limpet_info), LIMPET_OK);
	supervisor.started = true;
	memset(view, 0, sizeof(view));
	memcpy(view, &first.state, PAGE);
	((struct build *)(view - 2 * PAGE))->value = 5;
	checkpoint_take(supervised());
	build_make(&next, 'b', 1, 2);
	return 0;
}

static void build_send(const struct build *build)
{
	const word *w = (const word *)build;

	assert_int_equal(update_serve_begin(9, SUPERVISED), LIMPET_OK);
	for (word at = 0; at < sizeof(*build); at += 40, w += 5)
		assert_int_equal(update_serve_put(9, at, w[0], w[1], w[2], w[3], w[4]), LIMPET_OK);
}

static long send_and_apply(const struct build *build, bool fresh)
{
	uint32_t table[256];

	build_send(build);
	crc_table_fill(table);
	return update_serve_apply(
		9, fresh, (uint32_t)~crc_add(table, ~0u, (const uint8_t *)build, sizeof(*build)));
}

/* The build runs with the state. Both are in the memory that the component sees. */
static void build_runs(char mark, uint64_t value)
{
	assert_int_equal(code[50], mark);
	assert_int_equal(code[PAGE], mark);
	assert_int_equal(view[sizeof(struct limpet_state_head) + 8], mark);
	assert_int_equal(*(uint64_t *)(view + sizeof(struct limpet_state_head)), value);
	assert_false(closed);
}

static void test_update(void **state)
{
	struct update_result_results result;

	(void)state;
	view[2 * PAGE - 1] = 'h';
	assert_int_equal(send_and_apply(&next, false), LIMPET_UPDATE_DONE);
	build_runs('b', 5);
	assert_int_equal(view[2 * PAGE - 1], 0);
	assert_int_equal(inits, 1);
	assert_int_equal(forgets, 1);
	assert_memory_equal(kept, view, sizeof(kept));
	assert_int_equal(((struct limpet_state_head *)view)->updates, 1);
	assert_int_equal(update_serve_result(9, &result), LIMPET_OK);
	assert_int_equal(result.kept, 8);
	assert_int_equal(result.error, 0);
	assert_int_equal(supervised()->claimed, 0);
	now += TRIAL_MS * MS; /* its trial is over */
	fault();
	outcome_was(0, LIMPET_CRASH_CHECKPOINT);
	build_runs('b', 5);
}

/* The previous build replaces one that crashes early, with the state at the time of the update, also at the limit. */
static void test_update_back(void **state)
{
	(void)state;
	supervised_record()->restart_limit = 0;
	assert_int_equal(send_and_apply(&next, false), LIMPET_UPDATE_DONE);
	view[sizeof(struct limpet_state_head)] = 99;
	now += (TRIAL_MS - 1) * MS;
	fault();
	build_runs('a', 5);
	assert_int_equal(inits, 2);
	outcome_was(0, LIMPET_CRASH_IMAGE);
	assert_int_equal(record_of(0)->frames, 1);
	fault(); /* the old build has no trial */
	outcome_was(1, LIMPET_CRASH_LIMIT);
	assert_int_equal(send_and_apply(&next, false),
			 LIMPET_UPDATE_DONE); /* the component was stopped */
	build_runs('b', 5);
}

static void test_update_refused(void **state)
{
	struct build wrong = next;

	(void)state;
	assert_int_equal(update_serve_apply(9, 0, 0), LIMPET_ESTATE);
	assert_int_equal(update_serve_put(9, 0, 0, 0, 0, 0, 0), LIMPET_ESTATE);
	assert_int_equal(update_serve_begin(9, SUPERVISED + 1), LIMPET_ENOENT);
	build_send(&next);
	assert_int_equal(update_serve_put(9, 4, 0, 0, 0, 0, 0), LIMPET_ERANGE);
	assert_int_equal(update_serve_put(9, 3 * PAGE, 0, 0, 0, 0, 0), LIMPET_ERANGE);
	assert_int_equal(update_serve_put(9, -8ul, 0, 0, 0, 0, 0), LIMPET_ERANGE);
	assert_int_equal(update_serve_apply(9, 0, 1), LIMPET_UPDATE_DAMAGED);
	wrong.head.interfaces++;
	assert_int_equal(send_and_apply(&wrong, true), LIMPET_UPDATE_INTERFACES);
	build_make(&wrong, 'c', 2, 2);
	assert_int_equal(send_and_apply(&wrong, false), LIMPET_UPDATE_STATE);
	supervisor_inside[FAULTED] = 1;
	assert_int_equal(update_serve_apply(9, 0, 0), LIMPET_ECRASH);
	supervisor_inside[FAULTED] = 0;
	build_send(&next);
	supervised()->claimed = 1;
	assert_int_equal(update_serve_begin(9, SUPERVISED), LIMPET_EBUSY);
	supervised()->claimed = 0;
	assert_int_equal(inits, 0);
	assert_int_equal(code[50], 'a');
	assert_int_equal(send_and_apply(&wrong, true), LIMPET_UPDATE_DONE);
	build_runs('c', 2);
}

/* An update is refused if the head of its state specifies a size that the data does not have. */
static void test_update_state_damaged(void **state)
{
	(void)state;
	next.state.size = PAGE;
	assert_int_equal(send_and_apply(&next, false), LIMPET_UPDATE_STATE);
	next.state.size = UINT32_MAX;
	assert_int_equal(send_and_apply(&next, false), LIMPET_UPDATE_STATE);
	assert_int_equal(code[50], 'a');
}

static void test_update_fails(void **state)
{
	struct update_result_results result;

	(void)state;
	init_fails = 1;
	assert_int_equal(send_and_apply(&next, false), LIMPET_UPDATE_FAILED);
	build_runs('a', 5);
	assert_int_equal(update_serve_result(9, &result), LIMPET_OK);
	assert_int_equal(-(long)result.error, LIMPET_ENOMEM);
	init_fails = 2;
	assert_int_equal(send_and_apply(&next, false), LIMPET_UPDATE_STOPPED);
	assert_true(closed && supervised()->closed);
	assert_int_equal(send_and_apply(&next, false), LIMPET_UPDATE_DONE);
	build_runs('b', 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_caller_that_ends_with_a_call, setup),
		cmocka_unit_test_setup(test_checkpoint, setup),
		cmocka_unit_test_setup(test_image, setup),
		cmocka_unit_test_setup(test_stop_and_halt, setup),
		cmocka_unit_test_setup(test_no_restart, setup),
		cmocka_unit_test_setup(test_limit, setup),
		cmocka_unit_test_setup(test_threads, setup),
		cmocka_unit_test_setup(test_heartbeat, setup),
		cmocka_unit_test_setup(test_priority_of_initialisation, setup),
		cmocka_unit_test_setup(test_indirect, setup),
		cmocka_unit_test_setup(test_rollback_fails, setup),
		cmocka_unit_test_setup(test_strangers, setup),
		cmocka_unit_test_setup(test_false_fault, setup),
		cmocka_unit_test_setup(test_thread_above_63, setup),
		cmocka_unit_test_setup(test_update, setup_update),
		cmocka_unit_test_setup(test_update_back, setup_update),
		cmocka_unit_test_setup(test_update_refused, setup_update),
		cmocka_unit_test_setup(test_update_state_damaged, setup_update),
		cmocka_unit_test_setup(test_update_fails, setup_update),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
