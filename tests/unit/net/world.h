/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs two network components in one process. Each is a separate copy with its own channel, and a
 * wire joins their Linux ends. This file also has their kernel, scheduler and memory manager, and a
 * time that advances only when no thread has work. All random values depend on the seed.
 */
#ifndef WORLD_H
#define WORLD_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <channel/end.h>
#include <limpet/network.h>
#include <runtime/component.h>
#include <sync/lock.h>

#include <export/socket.h>

#define MS 1000ul	 /* ticks */
#define MEMORY_PAGES 4	 /* pages that each client shares */
#define LEFT 4u		 /* badges of two clients, */
#define RIGHT 7u	 /* which are components 3 and 6 */
#define COMPONENTS 32	 /* one more than the maximum index of a client */
#define FRAME_MAX 2048ul /* maximum bytes of a test's frame in the ring */

#define STACK_FUNCTIONS(X)                                                                         \
	X(begin)                                                                                   \
	X(create)                                                                                  \
	X(close)                                                                                   \
	X(bind)                                                                                    \
	X(listen)                                                                                  \
	X(accept)                                                                                  \
	X(connect)                                                                                 \
	X(send)                                                                                    \
	X(receive)                                                                                 \
	X(send_to)                                                                                 \
	X(shutdown)                                                                                \
	X(option)                                                                                  \
	X(name)                                                                                    \
	X(wait)                                                                                    \
	X(resolve)                                                                                 \
	X(address)                                                                                 \
	X(figure)                                                                                  \
	X(look)                                                                                    \
	X(next)

struct stack {
#define STACK_MEMBER(name) __typeof__(socket_serve_##name) *name;
	STACK_FUNCTIONS(STACK_MEMBER)
	struct limpet_info *info;
	char *memory;		/* its channel */
	struct limpet_end host; /* Linux's end */
	const struct lock *core_lock;
	bool (*link_turn)(void);
	uint64_t (*core_timers)(void);
	long (*init)(const struct limpet_info *info);
	long (*link_begin)(const char *name);
	void *library;
};

extern struct stack a, b;
extern uint64_t now;
extern unsigned int current; /* the current thread */

/* Decides on a frame on the wire, and may change it. Returns whether it is delivered. */
typedef bool wire_judge(const struct stack *from, uint8_t *frame, uint64_t *length);

struct world {
	uint64_t pieces; /* used pieces of lwIP's memory */
	wire_judge *judge;
	void (*other)(void);	    /* the work of other threads meanwhile; must not wait */
	uint64_t frames;	    /* frames on the wire */
	uint32_t stops[COMPONENTS]; /* number of stops of each component */
	bool closed[COMPONENTS];
	unsigned int allocations;   /* remaining allocations before the memory manager refuses */
	unsigned int grants, freed; /* counts of the memory manager */
	unsigned int interrupts;    /* number of next waits that end early */
	unsigned int woken;	    /* threads that were resumed, waiting or not */
	bool unplugged;		    /* frames stay in the rings */
};
extern struct world world;
/* After the next start each of lwIP's pieces of memory is a separate allocation. */
extern bool world_pieces;

/*
 * Starts two components at 10.0.0.1 and 10.0.0.2, or at the addresses of the arguments. They have
 * resolved each other.
 */
void world_begin(void);
/* Starts one component without an address, with `address` as its argument. */
void world_begin_alone(const char *address);
void world_end(void);
/* Advances the time. */
void world_run(uint64_t ticks);
/* Sends a frame from Linux, with its struct limpet_frame. Returns false if the ring has no space. */
bool world_put(struct stack *s, const void *message, uint64_t length);
/* Runs a component until it has nothing left to do. */
void world_turns(struct stack *s);

uint32_t world_random(void);
void world_seed(uint64_t seed);
/* Returns a counter of a component by its name. */
uint64_t figure(struct stack *s, const char *name);

#endif
