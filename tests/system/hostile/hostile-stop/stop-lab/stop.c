// SPDX-License-Identifier: BSD-2-Clause
/*
 * A chain of components has threads at all depths. Then one link is stopped or deleted, by any of its objects. In each
 * round every thread must return with the right status, and all frames must be free afterwards.
 */
#include <runtime/kernel_call.h>
#include <runtime/memory.h>
#include <runtime/print.h>

#include <export/pong.h>

#include "../../lib/lab.h"

#define LINKS 6u
#define THREADS 3u
#define INDEX 80u /* indices of the links start here */
#define FIRST_ID 40u
#define TABLE LIMPET_SLOT_TABLE
#define DATA (LIMPET_READ | LIMPET_WRITE)
#define CRASHED 1000
#define COMPLAINTS 8
#define DISPATCHES 10000 /* maximum for one thread, until it is dead */

extern const unsigned char link_code[], link_code_end[], begin_code[], begin_code_end[];

/* Objects of a link. Deleting the frames deletes the object, even in use. */
enum part { PAGE_TABLE, SLOTS, COMPONENT, PARTS };
static const struct {
	enum limpet_type type;
	word count;
} kinds[PARTS] = { { LIMPET_PAGE_TABLE, 1 }, { LIMPET_TABLE, 1 }, { LIMPET_COMPONENT, 1 } };

struct link {
	word frames[PARTS], object[PARTS];
	word levels; /* pages of its page table */
	word gate;
};

enum action { STOP, TAKE_COMPONENT, TAKE_PAGE_TABLE, TAKE_SLOTS, TAKE_GATES, NOTHING, ACTIONS };

static struct link links[LINKS + 1]; /* 0: the entry of threads */
static word code[2], stacks[LINKS + 1][1 + THREADS], result_frames;
static word thread_frames[THREADS], threads[THREADS];
static volatile long *result;
static unsigned int complaints;
static uint64_t round_number, crashed, gone, passed;
static word state;

/* Action of the guard when it finds a thread in the chain. */
static struct {
	bool armed;
	unsigned int link;
	enum action action;
} guard;

static void complain(const char *name, long value, long more)
{
	if (complaints++ < COMPLAINTS)
		lab_fail(name, "%ld %ld, round %lu", value, more, round_number);
}

static unsigned int id_of(unsigned int thread)
{
	return thread ? FIRST_ID + thread - 1 : limpet_info()->thread;
}

static void take_frames(void)
{
	for (unsigned int i = 0; i <= LINKS; i++) {
		for (unsigned int p = 0; p < PARTS; p++) {
			links[i].frames[p] = lab_frames(kinds[p].count);
			links[i].object[p] = lab_slot();
		}
		links[i].levels = lab_frames(1 + DOMAIN_POOL);
		links[i].gate = lab_slot();
		for (unsigned int t = 0; t <= THREADS; t++)
			stacks[i][t] = lab_frames(1);
	}
	for (unsigned int t = 0; t < THREADS; t++) {
		thread_frames[t] = lab_frames(2);
		threads[t] = lab_slot();
	}
	code[0] = lab_frames(1);
	code[1] = lab_frames(1);
	result_frames = lab_frames(1);
	memcpy(lab_view(code[0], 1), begin_code, (size_t)(begin_code_end - begin_code));
	memcpy(lab_view(code[1], 1), link_code, (size_t)(link_code_end - link_code));
	result = lab_view(result_frames, 1);
}

static void map(const struct link *link, word frames, word address, word rights)
{
	lab_must(limpet_call_pt_map(link->object[PAGE_TABLE], frames, 0, address, 1, rights),
		 "map a link's memory");
}

static void link_make(unsigned int n)
{
	struct link *link = &links[n];

	for (unsigned int p = 0; p < PARTS; p++)
		lab_must(limpet_call_frame_retype(link->frames[p], kinds[p].type, TABLE,
						  link->object[p]),
			 "make a link: its frames are free");
	lab_must(limpet_call_pt_extend(link->object[PAGE_TABLE], link->levels),
		 "give a link pages for its page table: they are free");
	lab_must(limpet_call_component_activate(link->object[COMPONENT], link->object[PAGE_TABLE],
						link->object[SLOTS], DOMAIN_STACKS,
						DOMAIN_STACK_SHIFT, INDEX + n),
		 "activate a link");
	map(link, code[n > 0], DOMAIN_CODE, LIMPET_READ | LIMPET_EXEC);
	if (!n)
		map(link, result_frames, DOMAIN_DATA, DATA);
	for (unsigned int t = 0; t <= THREADS; t++)
		map(link, stacks[n][t], domain_stack(id_of(t)) - LIMPET_PAGE, DATA);
	lab_must(
		limpet_call_gate_create(link->object[COMPONENT], DOMAIN_CODE, n, TABLE, link->gate),
		"make a link's gate");
}

static void chain_make(void)
{
	for (unsigned int n = 0; n <= LINKS; n++)
		link_make(n);
	for (unsigned int n = 0; n < LINKS; n++)
		lab_must(limpet_call_cap_copy(TABLE, links[n + 1].gate, links[n].object[SLOTS],
					      DOMAIN_SLOT_GATE, LIMPET_ALL),
			 "give a link the next one's gate");
}

/* Deletes the remaining objects, in varying order. A component with threads inside is deleted with them. */
static void chain_unmake(void)
{
	unsigned int from = (unsigned int)(lab_random(&state) % (LINKS + 1));
	unsigned int part = (unsigned int)(lab_random(&state) % PARTS);

	for (unsigned int i = 0; i <= LINKS; i++)
		for (unsigned int p = 0; p < PARTS; p++) {
			struct link *link = &links[(from + i) % (LINKS + 1)];
			long status = lab_revoke(link->frames[(part + p) % PARTS]);

			if (status)
				complain("a link cannot be taken apart", status, i);
		}
}

static void act(unsigned int n, enum action action)
{
	struct link *link = &links[n];
	long status = LIMPET_OK;

	switch (action) {
	case STOP:
		status = limpet_call_component_stop(link->object[COMPONENT]);
		break;
	case TAKE_COMPONENT:
		status = lab_revoke(link->frames[COMPONENT]);
		break;
	case TAKE_PAGE_TABLE:
		status = lab_revoke(link->frames[PAGE_TABLE]);
		break;
	case TAKE_SLOTS:
		status = lab_revoke(link->frames[SLOTS]);
		break;
	case TAKE_GATES:
		status = lab_revoke(link->object[COMPONENT]);
		break;
	default:
		break;
	}
	if (status)
		complain("what was to be done to a link", status, action);
}

/*
 * Checks the status of the first link. All links were passed, or the caller of link `n` found it crashed, or found its
 * gate deleted.
 */
static void check_status(const char *who, long status, unsigned int n, enum action action)
{
	const bool first = n == 1;
	const bool may_crash = action == STOP || action == TAKE_COMPONENT;
	const bool may_go = action == TAKE_COMPONENT || action == TAKE_GATES ||
			    action == TAKE_SLOTS;

	if (status == LINKS) {
		passed++;
	} else if (may_crash && status == (first ? LIMPET_ECRASH : CRASHED + (long)n - 2)) {
		crashed++;
	} else if (may_go && status == (first ? LIMPET_ESLOT : (long)n - 1)) {
		gone++;
	} else if (action == TAKE_SLOTS && status == (long)n) { /* it has lost its next link */
		gone++;
	} else {
		complain(who, status, (long)n << 8 | action);
	}
}

/* Runs the lab's own thread in the chain until the guard acts. */
static void round_own(unsigned int n, enum action action)
{
	static const word none[6];
	struct after after;
	long status;

	guard.link = n;
	guard.action = action;
	__atomic_store_n(&guard.armed, true, __ATOMIC_SEQ_CST);
	for (unsigned int i = 0; i < 1000 && __atomic_load_n(&guard.armed, __ATOMIC_SEQ_CST); i++) {
		status = lab_syscall(LIMPET_INVOKE(links[1].gate), none, &after);
		check_status("the lab's thread", status, n, action);
	}
	__atomic_store_n(&guard.armed, false, __ATOMIC_SEQ_CST);
}

/* Starts threads. The guard periodically interrupts each thread, at any place in the chain. */
static void threads_start(void)
{
	for (unsigned int t = 0; t < THREADS; t++) {
		result[t] = -100;
		lab_must(limpet_call_frame_retype(thread_frames[t], LIMPET_THREAD, TABLE,
						  threads[t]),
			 "make a thread");
		lab_must(limpet_call_thread_start(threads[t], links[0].object[COMPONENT],
						  DOMAIN_CODE, t, id_of(t + 1), 0),
			 "start a thread");
		limpet_call_thread_dispatch(threads[t], 0);
	}
}

/* Runs the threads until they have returned and are dead. */
static void threads_end(unsigned int n, enum action action)
{
	for (unsigned int t = 0; t < THREADS; t++) {
		unsigned int i = 0;

		while (limpet_call_thread_dispatch(threads[t], 0) != LIMPET_ESTATE &&
		       i < DISPATCHES)
			i++;
		if (i == DISPATCHES)
			complain("a thread never comes back", t, action);
		check_status("a thread", result[t], n, action);
		if (lab_revoke(thread_frames[t]))
			complain("a dead thread cannot be taken apart", t, action);
	}
}

/* Deletes the threads where they are in the chain, without running them again. */
static void threads_drop(void)
{
	for (unsigned int t = 0; t < THREADS; t++)
		if (lab_revoke(thread_frames[t]))
			complain("a thread cannot be taken apart", t, 0);
}

static void round_others(unsigned int n, enum action action)
{
	threads_start();
	act(n, action);
	if (lab_random(&state) % 4)
		threads_end(n, action);
	else
		threads_drop();
}

long pong_serve_call0(word badge)
{
	(void)badge;
	if (!__atomic_load_n(&guard.armed, __ATOMIC_SEQ_CST))
		return LIMPET_OK;
	act(guard.link, guard.action);
	__atomic_store_n(&guard.armed, false, __ATOMIC_SEQ_CST);
	return LIMPET_OK;
}

void component_main(const struct limpet_info *info)
{
	word rounds = (word)limpet_arg_number(info, "rounds", 1000);

	state = (word)limpet_arg_number(info, "seed", 1);
	take_frames();
	for (; round_number < rounds && complaints < 100; round_number++) {
		unsigned int n = 1 + (unsigned int)(lab_random(&state) % LINKS);
		enum action action = (enum action)(lab_random(&state) % ACTIONS);

		chain_make();
		if (lab_random(&state) % 2)
			round_own(n, action);
		else
			round_others(n, action);
		chain_unmake();
	}
	chain_make(); /* all frames must be there */
	limpet_print("%lu passed, %lu crashed, %lu gone\n", passed, crashed, gone);
	if (!complaints)
		lab_pass("threads come back from what is stopped or gone, and frames are free");
	if (!crashed || !gone || !passed)
		lab_fail("the links were caught with threads inside", "it never happened");
	lab_done();
}
