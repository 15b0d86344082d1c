/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs C code of two actors that share memory, in every way in which two x86 processors can run it.
 *
 * The code accesses the shared memory by calls of this file. Each processor has a store buffer. A
 * store goes into it. A load finds this processor's own newest store, or memory. Stores reach
 * memory in order and at any time. A fence waits until all of them have (x86-TSO, Owens, Sarkar,
 * Sewell 2009).
 *
 * An actor is a function that is called repeatedly. A call is a turn. Its actions depend only on
 * its own memory and on the values that it has loaded. So a state in the middle of a turn consists
 * of the actor's memory before the turn and the results of its loads. To continue, the turn is run
 * again with these results. Every state is visited once. An execution without end, or with a bad
 * end, is printed step by step.
 */
#ifndef MODEL_TSO_H
#define MODEL_TSO_H

#include <stdbool.h>
#include <stdint.h>

enum {
	TSO_ACTORS = 2,
	TSO_MEMORY = 320, /* bytes that are shared */
	TSO_KEPT = 256,	  /* bytes that an actor keeps from turn to turn */
	TSO_BUFFER = 20,  /* stores in a buffer, at most */
	TSO_RESULTS = 96, /* accesses in a turn, at most */
	TSO_CHOICES = 32, /* maximum number of alternatives */
};

struct tso_store {
	uint64_t value;
	uint32_t at, size;
};

struct tso_actor {
	_Alignas(8) unsigned char kept[TSO_KEPT];
	uint64_t results[TSO_RESULTS];
	struct tso_store buffer[TSO_BUFFER];
	uint32_t done, stores; /* results and stores that there are */
};

struct tso_world {
	_Alignas(64) unsigned char memory[TSO_MEMORY];
	struct tso_actor actor[TSO_ACTORS];
	uint32_t budget[4]; /* of the model's own: what else may happen, how often */
};

/* The functions of the model. */
struct tso_model {
	/* Runs one turn of actor `who`, with its memory. */
	void (*turn)(int who, void *kept);
	/*
	 * Does something outside the turns: alternative `n` on `w`. Returns false if it is not
	 * possible. NULL: nothing happens outside.
	 */
	bool (*happen)(struct tso_world *w, int n);
	int happenings;
	/*
	 * Called when nothing more can happen. Returns the reason why this is not a good end, or
	 * NULL.
	 */
	const char *(*ended)(struct tso_world *w);
	/* The name of a place, for the story of an execution. */
	void (*name)(uint32_t at, char *text, int size);
	/*
	 * Returns whether only `who` writes there from now on, so that the time of a load does not
	 * matter.
	 */
	bool (*own)(const struct tso_world *w, int who, uint32_t at);
	uint32_t buffer; /* stores in a buffer, TSO_BUFFER or fewer */
};

/* The memory of the turns. Only its addresses matter; the contents are in the world. */
extern unsigned char tso_memory[TSO_MEMORY];

/* For turns. */
uint64_t tso_load(const volatile void *place, uint32_t size);
void tso_store(volatile void *place, uint32_t size, uint64_t value);
void tso_fence(void);
/* Waits until the 8 bytes at `place` are not 0, and makes them 0: as one step, after a fence. */
void tso_wait(volatile void *place);
/* Any number below n, at most TSO_CHOICES: each is tried. */
uint32_t tso_choose(uint32_t n);
void tso_assert(bool right, const char *what);

struct tso_result {
	uint64_t states, ends;
	uint32_t longest; /* execution, in steps */
};

/* Explores all from `first`. False: it has shown on stdout what goes wrong. */
bool tso_explore(const struct tso_model *model, const struct tso_world *first,
		 struct tso_result *result);

#endif
