/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A machine for the kernel's unit tests: frames, one or two CPUs with a booted first component, a
 * host that follows host.h, and the user level of threads, which the test simulates. All invariants
 * are checked after every step. A refused call must have changed nothing.
 */
#ifndef TEST_MACHINE_H
#define TEST_MACHINE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <kernel/boot.h>
#include <kernel/capability.h>
#include <kernel/cpu.h>
#include <kernel/gate.h>
#include <kernel/page_table.h>
#include <fake.h>

#define CPUS 2
#define BOOT_ENTRY 0x1000000000ul /* entry of the first component */
#define BOOT_STACKS 0x1020000000ul
#define ENTRY 0x400000ul /* entry of all other components */
#define STACKS 0x30000000ul
#define STACK_SHIFT 14ul
#define INSTRUCTION 2 /* bytes of a system call */

/* Registers at the CPU's user level. */
struct user {
	word words[6];
	word status, ip, sp;
};

/* Calls that the host received. */
struct host {
	u64 notify, kick, acks;
	unsigned int idles, ends, shares, guests;
	char print[2 * HOST_PRINT_MAX];
	unsigned int length;
};

struct machine {
	unsigned int cpus;
	struct frame_pool *pool;
	void *memory;
	word image, image_frames;
	struct cpu *all[CPUS];
	struct fake_processor processor[CPUS];
	struct user users[CPUS];
	struct host hosts[CPUS];
	word next_slot[CPUS];
	unsigned int checks; /* invariants are checked at every step, unless this is 0 */
	bool partial;	     /* a refused call may have done part of its work */
};

extern struct machine machine;

/*
 * Resources that every machine passes to its system, in the host's form, with the parts of the PCI
 * function.
 */
enum {
	RESOURCE_PORTS,	  /* 0x70, 8 ports */
	RESOURCE_MEMORY,  /* DEVICE, 40 pages */
	RESOURCE_EDGE,	  /* interrupts: an edge-triggered line, */
	RESOURCE_LEVEL,	  /* one that the host masks, */
	RESOURCE_LINUX,	  /* the host's end, */
	RESOURCE_MESSAGE, /* messages */
	RESOURCE_ALIEN,	  /* a kind that does not exist */
	RESOURCE_OTHER,	  /* of a component on the second CPU, if it exists */
	RESOURCES
};
#define PORT_FIRST 0x70ul
#define PORT_COUNT 8ul
#define DEVICE 0xfd000000ul
#define DEVICE_PAGES 40ul
#define MESSAGE(n) (0xfee00000ul + ((n) << 12))
#define MESSAGE_DATA 0xf2u
extern const struct limpet_image_resource machine_resource[RESOURCES];

/* State of the CPU that the test simulates now. */
extern struct cpu *cpu;
extern struct user *user;
extern struct host *host;

/* cmocka fixtures with one CPU and 1024 frames, and with two CPUs. */
int machine_setup(void **state);
int machine_setup_two(void **state);
int machine_teardown(void **state);
/*
 * Creates a machine with `frames` frames for each CPU. Returns false if they are too few to boot.
 */
bool machine_boot(unsigned int cpus, word frames);
void machine_play(unsigned int number);

#define CALL_PENDING 0x5a5a5a5al /* result of call() while the thread waits in its call */

/* Makes a kernel call of the current thread. Returns its status, or CALL_PENDING. */
long call_words(word op, const word words[6]);
#define call(name, ...) call_words(LIMPET_CALL_##name, (const word[6]){ __VA_ARGS__ })
/* The current thread invokes a gate, returns from an invocation, or faults. */
long invoke(word slot);
void give_back(long status);
void fault(word kind, word address, word error);
/* The host serves all requests and returns the CPU. */
void host_serve(void);
/* Interrupts: the host takes the CPU and returns it. */
void interrupt(void);
/* Advances the time. The host's timer fires if it is due. */
void time_pass(u64 ticks);

/* invariants.c: checks everything that must be true between any two steps. */
void invariants(void);
word frame_users(word frame);

/*
 * seen.c: records the statuses of all calls. At exit it writes lines "CALL ERROR" to the file that
 * the environment variable LIMPET_SEEN names, for tests/unit/docs.
 */
void seen_call(const struct thread *t, word op);
void seen_return(const struct thread *t);

/* registry.c: records the creation and destruction of the kernel's objects. */
struct entry {
	struct object *object;
	word type, first, bytes;
	bool packed; /* its last frame can contain other objects */
};
extern struct entry registry[];
extern unsigned int registry_count;
bool registry_has(const void *object, word type);
void registry_clear(void);
/* pages.c: calls `each` for the pages of a page table itself: spare ones, root and lower levels. */
void pages_each(const struct entry *e, void (*each)(void *page));
void frames_poison(word first, word count);

/* snapshot.c: state that a refused call must not change. */
struct snapshot;
struct snapshot *snapshot_take(void);
/* Returns the first difference, or NULL. Frees the snapshot. */
const char *snapshot_compare(struct snapshot *before, const struct thread *caller);

/* Puts an event of a port into the inbox of the emulated CPU. */
static inline void port_came(unsigned int number)
{
	inbox_put(&cpu->inbox, INBOX_PORT + number);
}

static inline void channel_came(unsigned int number)
{
	inbox_put(&cpu->inbox, INBOX_CHANNEL + number);
}

static inline void interrupt_came(unsigned int number)
{
	inbox_put(&cpu->inbox, INBOX_INTERRUPT + number);
}

#endif
