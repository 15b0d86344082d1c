// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <runtime/kernel_call.h>
#include <runtime/lock.h>
#include <runtime/window.h>

#include <import/memory.h>
#include <import/sched.h>

#include "world.h"

#define RING (64 << 10)
#define CHANNEL_BYTES (LIMPET_CHANNEL_PAGE + 2 * RING)
#define STEP_MOST (10 * MS) /* the wire is looked at so often */

struct stack a, b;
struct world world;
bool world_pieces;
uint64_t now;
unsigned int current;

static struct limpet_info_channel channels[2];
static uint64_t seed;
static uint64_t resumed; /* threads */
static void *memory[64]; /* that the components have */
static unsigned int given;

/* --- the kernel, the scheduler, the memory manager, as the components see them */

uint64_t limpet_time(void)
{
	return now;
}

unsigned int limpet_thread_id(void)
{
	return current;
}

void limpet_print(const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vfprintf(stderr, format, values);
	va_end(values);
}

uint32_t world_random(void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return (uint32_t)((seed * 0x2545f4914f6cdd1dul) >> 32);
}

void world_seed(uint64_t value)
{
	seed = value * 2 + 1;
}

uint32_t port_random(void)
{
	return world_random();
}

void lock_take(struct lock *lock)
{
	assert_int_equal(lock->mutex.owner, 0);
	lock->mutex.owner = 1;
}

void lock_drop(struct lock *lock)
{
	assert_int_equal(lock->mutex.owner, 1);
	lock->mutex.owner = 0;
}

long fake_kernel_call(long op, const word *in, struct limpet_out *out)
{
	*out = (struct limpet_out){ 0 };
	if (op == LIMPET_CALL(LIMPET_CALL_CAP_INFO)) {
		word component = in[1] - LIMPET_SLOT_COMPONENTS;

		assert_in_range(component, 1, COMPONENTS - 1);
		out->w2 = world.stops[component] | (world.closed[component] ? LIMPET_CLOSED : 0);
		return LIMPET_OK;
	}
	assert_true(op == LIMPET_CALL(LIMPET_CALL_CHANNEL_NOTIFY) ||
		    op == LIMPET_CALL(LIMPET_CALL_CHANNEL_STATE));
	return LIMPET_OK;
}

long memory_allocate(word pages, word *address)
{
	void *at;

	if (!world.allocations)
		return LIMPET_EQUOTA;
	world.allocations--;
	at = calloc(pages, LIMPET_PAGE);
	assert_true(given < sizeof(memory) / sizeof(memory[0]));
	memory[given++] = at;
	*address = (word)at;
	return LIMPET_OK;
}

long memory_grant(word address, word component, word rights)
{
	assert_true(address && rights == (LIMPET_READ | LIMPET_WRITE));
	world.grants++;
	return component == 5 ? LIMPET_ENOENT : LIMPET_OK; /* one that no memory manager serves */
}

long memory_free(word address)
{
	unsigned int i = 0;

	while (i < given && memory[i] != (void *)address)
		i++;
	assert_int_not_equal(i, given);
	memory[i] = memory[--given];
	world.freed++;
	free((void *)address);
	return LIMPET_OK;
}

long sched_create(word entry, word argument, word priority)
{
	(void)entry, (void)argument, (void)priority;
	return 30;
}

long sched_wake(word thread)
{
	return thread == 30 ? LIMPET_OK : LIMPET_ENOENT;
}

long sched_block_until(word deadline)
{
	(void)deadline;
	return LIMPET_OK;
}

long sched_resume(word thread)
{
	resumed |= 1ul << thread;
	return LIMPET_OK;
}

long sched_resume_best(word threads)
{
	assert_true(threads != 0);
	resumed |= 1ul << __builtin_ctzl(threads);
	world.woken++;
	return __builtin_ctzl(threads);
}

void *world_piece(size_t size)
{
	world.pieces++;
	return malloc(size);
}

void world_piece_end(void *piece)
{
	world.pieces--;
	free(piece);
}

/* --- the wire */

bool world_put(struct stack *s, const void *message, uint64_t length)
{
	void *room;

	if (!limpet_end_connected(&s->host))
		return false;
	room = limpet_end_reserve(&s->host, length);
	if (!room)
		return false;
	memcpy(room, message, length);
	limpet_end_commit(&s->host, length);
	return true;
}

static bool wire_move(struct stack *from, struct stack *to)
{
	uint8_t message[FRAME_MOST];
	const void *at;
	uint64_t length;

	if (!from->library || !limpet_end_connected(&from->host))
		return false;
	at = limpet_end_peek(&from->host, &length);
	if (!at)
		return false;
	assert_true(length <= sizeof(message) && length >= sizeof(struct limpet_frame) + 14);
	memcpy(message, at, length);
	limpet_end_release(&from->host);
	world.frames++;
	if (world.judge && !world.judge(from, message, &length))
		return true;
	if (to->library)
		world_put(to, message, length);
	return true;
}

void world_turns(struct stack *s)
{
	while (s->link_turn())
		;
}

/* The next time that something is due. */
static uint64_t world_step(void)
{
	uint64_t next = now + STEP_MOST, at;
	bool moved;

	do {
		moved = false;
		if (!world.unplugged) {
			moved |= wire_move(&a, &b);
			moved |= wire_move(&b, &a);
		}
		for (struct stack *s = &a; s; s = s == &a ? &b : NULL)
			if (s->library)
				moved |= s->link_turn();
	} while (moved);
	for (struct stack *s = &a; s; s = s == &a ? &b : NULL) {
		if (!s->library)
			continue;
		at = s->core_timers();
		next = at < next ? at : next;
	}
	return next > now ? next : now + 1;
}

void world_run(uint64_t ticks)
{
	uint64_t end = now + ticks;

	while (now < end) {
		uint64_t next = world_step();

		now = next < end ? next : end;
	}
	world_step();
}

/* All others run until somebody resumes the thread. */
long sched_suspend_for(word owner, word deadline)
{
	unsigned int self = current;

	assert_int_equal(owner, 0);
	while (!(resumed & 1ul << self)) {
		uint64_t next = world_step();

		if (world.interrupts) {
			world.interrupts--;
			return LIMPET_OK;
		}
		if (world.other && !(resumed & 1ul << self)) {
			current = self + 1;
			world.other();
			current = self;
			next = next < now + MS ? next : now + MS;
		}
		if (resumed & 1ul << self)
			break;
		if (next >= deadline) {
			now = deadline;
			return LIMPET_ETIME;
		}
		now = next;
	}
	resumed &= ~(1ul << self);
	return LIMPET_OK;
}

/* --- components */

static void *symbol(void *library, const char *name)
{
	void *at = dlsym(library, name);

	if (!at)
		fail_msg("no %s in the component", name);
	return at;
}

/* A copy of the file, which is another library to the loader. */
static void *load(const char *copy)
{
	static unsigned int loads;
	char command[256], path[64];
	void *library;

	snprintf(path, sizeof(path), "/tmp/limpet-net-%s-%d-%u.so", copy, getpid(), loads++);
	snprintf(command, sizeof(command), "cp %s/%s.so %s", NUNIT,
		 world_pieces ? "pieces" : "stack", path);
	assert_int_equal(system(command), 0);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fail_msg("%s", dlerror());
	unlink(path);
	return library;
}

static void argument(struct limpet_info *info, const char *name, const char *text, int64_t number)
{
	struct limpet_info_arg *arg = &info->arg[info->args++];

	*arg = (struct limpet_info_arg){ .number = number };
	strcpy(arg->name, name);
	if (text)
		strcpy(arg->text, text);
}

static void channel_make(struct stack *s, struct limpet_info_channel *channel)
{
	struct limpet_channel_header *header;

	s->memory = mmap(NULL, CHANNEL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	assert_true(s->memory != MAP_FAILED);
	header = (struct limpet_channel_header *)s->memory;
	*channel = (struct limpet_info_channel){ .name = "limpet0",
						 .mode = LIMPET_CHANNEL_NETWORK,
						 .to_linux = RING,
						 .to_component = RING,
						 .address = (uint64_t)s->memory,
						 .mtu = 1500 };
	s->host = (struct limpet_end){ .self = &header->host,
				       .peer = &header->component,
				       .out = s->memory + LIMPET_CHANNEL_PAGE + RING,
				       .in = s->memory + LIMPET_CHANNEL_PAGE,
				       .out_size = RING,
				       .in_size = RING };
	limpet_end_begin(&s->host, 1);
}

static void stack_load(struct stack *s, struct limpet_info_channel *channel, const char *name)
{
	*s = (struct stack){ .library = load(name) };
#define STACK_LOAD(function) s->function = symbol(s->library, "socket_serve_" #function);
	STACK_FUNCTIONS(STACK_LOAD)
	s->info = symbol(s->library, "__limpet_info");
	s->link_turn = symbol(s->library, "link_turn");
	s->link_begin = symbol(s->library, "link_begin");
	s->core_timers = symbol(s->library, "core_timers");
	s->init = symbol(s->library, "component_init");
	channel_make(s, channel);
	memset(s->info, 0, sizeof(*s->info));
	s->info->ticks_per_ms = MS;
	s->info->channels = 1;
	s->info->channel_info = (uint64_t)channel;
	strcpy(s->info->name, name);
	argument(s->info, "memory", NULL, MEMORY_PAGES);
}

static void stack_begin(struct stack *s, const char *address)
{
	if (address)
		argument(s->info, "address", address, 0);
	argument(s->info, "gateway", "10.0.0.2", 0);
	argument(s->info, "dns", "10.0.0.2", 0);
	assert_int_equal(s->init(s->info), LIMPET_OK);
	assert_int_equal(s->link_begin(NULL), LIMPET_OK);
}

static void reset(void)
{
	world = (struct world){ .allocations = 1000 };
	now = 1000 * MS;
	current = 1;
	resumed = 0;
	world_seed(1);
	a = b = (struct stack){ 0 };
}

void world_begin(void)
{
	reset();
	stack_load(&a, &channels[0], "left");
	stack_load(&b, &channels[1], "right");
	stack_begin(&a, "10.0.0.1/24");
	stack_begin(&b, "10.0.0.2/24");
	world_run(3000 * MS); /* IPv6 looks whether somebody else has its address */
}

void world_begin_alone(const char *address)
{
	reset();
	stack_load(&a, &channels[0], "left");
	stack_begin(&a, address);
	world_run(10 * MS);
}

static void stack_end(struct stack *s)
{
	if (!s->library)
		return;
	if (!world_pieces) /* what it still has is no leak */
		dlclose(s->library);
	munmap(s->memory, CHANNEL_BYTES);
	*s = (struct stack){ 0 };
}

void world_end(void)
{
	while (given)
		free(memory[--given]);
	stack_end(&a);
	stack_end(&b);
}

uint64_t figure(struct stack *s, const char *name)
{
	struct socket_figure_results out;

	for (word i = 0; s->figure(LEFT, i, &out) >= 0; i++) {
		word text[3] = { out.name0, out.name1, 0 };

		if (strcmp((const char *)text, name) == 0)
			return out.value;
	}
	fail_msg("no counter '%s'", name);
	return 0;
}
