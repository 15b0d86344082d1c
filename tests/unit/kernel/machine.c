// SPDX-License-Identifier: GPL-2.0
/* Boots the machine, and simulates its user level and its host. */
#include <sanitizer/asan_interface.h>
#include <stdlib.h>

#include "guests.h"
#include "image.h"

#define FRAMES 1024

struct machine machine;

const struct limpet_image_resource machine_resource[RESOURCES] = {
	[RESOURCE_PORTS] = { .kind = LIMPET_RESOURCE_PORTS,
			     .first = PORT_FIRST,
			     .count = PORT_COUNT },
	[RESOURCE_MEMORY] = { .kind = LIMPET_RESOURCE_MEMORY,
			      .flags = LIMPET_RESOURCE_BAR(2),
			      .first = DEVICE,
			      .count = DEVICE_PAGES * LIMPET_PAGE },
	[RESOURCE_EDGE] = { .kind = LIMPET_RESOURCE_INTERRUPT, .first = 8, .count = 1 },
	[RESOURCE_LEVEL] = { .kind = LIMPET_RESOURCE_INTERRUPT,
			     .flags = LIMPET_RESOURCE_LEVEL,
			     .first = 23,
			     .count = 1 },
	[RESOURCE_LINUX] = { .kind = LIMPET_RESOURCE_INTERRUPT,
			     .first = LIMPET_LINE_LINUX,
			     .count = 1 },
	[RESOURCE_MESSAGE] = { .kind = LIMPET_RESOURCE_INTERRUPT,
			       .first = LIMPET_LINE_MESSAGE,
			       .count = 1 },
	[RESOURCE_ALIEN] = { .kind = LIMPET_RESOURCE_PCI, .first = 0x18, .count = 1 },
	[RESOURCE_OTHER] = { .component = 1,
			     .kind = LIMPET_RESOURCE_PORTS,
			     .first = 0x2f8,
			     .count = 8 },
};
struct cpu *cpu;
struct user *user;
struct host *host;

void machine_play(unsigned int number)
{
	cpu = machine.all[number];
	user = &machine.users[number];
	host = &machine.hosts[number];
	fake_processor = &machine.processor[number];
}

static void memory_alloc(word frames)
{
	static void *memory; /* kept, because allocating it again takes longer than most tests */
	static word size;

	machine.pool = calloc(1, sizeof(struct frame_pool) + frames * sizeof(u16));
	assert_non_null(machine.pool);
	if (size < frames) {
		free(memory);
		memory = aligned_alloc(LIMPET_PAGE, frames * LIMPET_PAGE);
		size = frames;
	}
	assert_non_null(memory);
	memset(memory, 0, frames * LIMPET_PAGE);
	machine.memory = memory;
	machine.pool->base = memory;
	machine.pool->frames = frames;
}

static void user_load(void)
{
	const struct hal_regs *r = &cpu->thread->regs;

	memcpy(user->words, r->words, sizeof(user->words));
	user->status = r->status;
	user->ip = r->ip;
	user->sp = r->sp;
}

static bool boot_one(unsigned int number, word frames)
{
	const struct setup setup = {
		.cpus = machine.cpus,
		.image = machine.image,
		.image_pages = machine.image_frames,
		.frames = machine.image + machine.image_frames,
		.share = frames,
		.ticks_per_ms = 1000,
		.early = 10,
		.resource = machine_resource,
		/* the component of the last resource exists only with two CPUs */
		.resources = machine.cpus > 1 ? RESOURCES : RESOURCE_OTHER,
		.message = { MESSAGE(0), MESSAGE(1) },
		.message_data = MESSAGE_DATA,
	};
	const word first = setup.frames + number * frames;

	machine_play(number);
	fake_processor->time = 1000000;
	if (boot_cpu(&setup, machine.pool, machine.all, number))
		return false;
	for (word i = first; i < first + frames; i++)
		if (machine.pool->state[i] != FRAME_KERNEL)
			frames_poison(i, 1);
	machine.next_slot[number] = 64;
	user_load();
	kernel_resume(cpu);
	return true;
}

static void machine_free(void)
{
	if (!machine.memory)
		return;
	ASAN_UNPOISON_MEMORY_REGION(machine.memory, machine.pool->frames * LIMPET_PAGE);
	for (unsigned int n = 0; n < machine.cpus; n++)
		free(machine.all[n]);
	free(machine.pool);
	machine.memory = NULL;
}

bool machine_boot(unsigned int cpus, word frames)
{
	machine_free();
	memset(&machine, 0, sizeof(machine));
	registry_clear();
	machine.cpus = cpus;
	machine.checks = 1;
	machine.image = 2; /* not 0, so that no number is correct by accident */
	machine.image_frames = 2;
	memory_alloc(machine.image + machine.image_frames + cpus * frames);
	machine.pool->state[0] = machine.pool->state[1] = FRAME_KERNEL;
	machine.pool->state[machine.image] = FRAME_SEALED; /* image_build() makes one */
	for (word i = 1; i < machine.image_frames; i++)
		machine.pool->state[machine.image + i] = FRAME_SHARED;
	image_build(frame_memory(machine.pool, machine.image), machine.image_frames, cpus, frames);
	for (unsigned int n = 0; n < cpus; n++) {
		machine.all[n] = aligned_alloc(64, sizeof(struct cpu));
		memset(machine.all[n], 0, sizeof(struct cpu));
	}
	for (unsigned int n = 0; n < cpus; n++)
		if (!boot_one(n, frames))
			return false;
	machine_play(0);
	invariants();
	return true;
}

int machine_setup(void **state)
{
	(void)state;
	assert_true(machine_boot(1, FRAMES));
	return 0;
}

int machine_setup_two(void **state)
{
	(void)state;
	assert_true(machine_boot(2, FRAMES));
	return 0;
}

int machine_teardown(void **state)
{
	(void)state;
	invariants();
	machine_free();
	return 0;
}

/* Ends a step of the kernel. */
static void settled(void)
{
	if (!cpu->idle) {
		user_load();
		seen_return(cpu->thread);
	}
	if (machine.checks)
		invariants();
}

/* Saves what the entry code saves when a thread enters the kernel. */
static struct thread *user_save(bool full)
{
	struct thread *t = cpu->thread;

	if (cpu->host.pending)
		host_serve();
	assert_false(cpu->idle);
	t = cpu->thread;
	memcpy(t->regs.words, user->words, sizeof(user->words));
	t->regs.status = user->status;
	t->regs.ip = user->ip;
	t->regs.sp = user->sp;
	t->regs.full = full;
	return t;
}

long call_words(word op, const word words[6])
{
	struct snapshot *before = NULL;
	struct thread *t;
	const char *changed;
	long status;

	t = user_save(false);
	memcpy(t->regs.words, words, 6 * sizeof(word));
	t->regs.ip += INSTRUCTION;
	t->regs.status = CALL_PENDING;
	if (machine.checks && !machine.partial)
		before = snapshot_take();
	seen_call(t, op);
	kernel_call(cpu, op);
	status = registry_has(t, LIMPET_THREAD) ? (long)t->regs.status : 0;
	if (before) {
		changed = snapshot_compare(before, t);
		if (cpu->thread == t && status < 0 && status != LIMPET_EAGAIN &&
		    status != LIMPET_ECRASH && changed)
			fail_msg("call %lu was refused with %ld and has changed %s", op, status,
				 changed);
	}
	settled();
	return status;
}

long invoke(word slot)
{
	struct user_return to;

	if (cpu->host.pending)
		host_serve();
	assert_false(cpu->idle);
	to = (cpu->path == TRACE_PATH_TRACED ? gate_invoke_traced : gate_invoke)(
		cpu, slot, user->sp, user->ip + INSTRUCTION);
	user->ip = to.ip;
	user->sp = to.sp;
	user->status = cpu->ret;
	if (machine.checks)
		invariants();
	return (long)cpu->ret;
}

void give_back(long status)
{
	struct user_return to;

	if (cpu->host.pending)
		host_serve();
	assert_false(cpu->idle);
	to = (cpu->path == TRACE_PATH_TRACED ? gate_return_traced : gate_return)(cpu);
	if (!to.ip) {
		gate_return_slow(cpu, status);
		settled();
		return;
	}
	user->ip = to.ip;
	user->sp = to.sp;
	user->status = (word)status;
	if (machine.checks)
		invariants();
}

void fault(word kind, word address, word error)
{
	user_save(true);
	kernel_fault(cpu, kind, error, address);
	settled();
}

static void host_take(u32 pending)
{
	struct host_requests *r = &cpu->host;

	host->notify |= pending & HOST_NOTIFY ? r->notify[0] : 0;
	host->kick |= pending & HOST_KICK ? r->kick : 0;
	host->ends += !!(pending & HOST_END);
	host->shares += !!(pending & HOST_SHARE);
	host->idles += !!(pending & HOST_IDLE);
	host->acks |= pending & HOST_ACK ? r->acks : 0;
	host->guests += !!(pending & HOST_GUEST);
	if (pending & HOST_GUEST)
		guests_updated(cpu);
	r->notify[0] = r->kick = r->acks = 0;
	if (pending & HOST_PRINT && host->length + r->print_length < sizeof(host->print)) {
		memcpy(host->print + host->length, r->print, r->print_length);
		host->length += r->print_length;
	}
	r->print_length = 0;
	r->programmed = r->deadline;
	r->pending = 0;
}

void host_serve(void)
{
	kernel_pause(cpu);
	host_take(cpu->host.pending);
	kernel_resume(cpu);
	settled();
}

/* At user level all of a thread's state can be interrupted. */
void interrupt(void)
{
	if (!cpu->idle)
		user_save(true);
	kernel_pause(cpu);
	kernel_resume(cpu);
	settled();
}

void time_pass(u64 ticks)
{
	fake_processor->time += ticks;
	if (cpu->host.pending)
		host_take(cpu->host.pending);
	if (cpu->host.programmed > fake_processor->time)
		return;
	cpu->host.programmed = LIMPET_NEVER;
	interrupt();
}
