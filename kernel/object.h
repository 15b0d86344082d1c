/* SPDX-License-Identifier: GPL-2.0 */
/* What every kernel object begins with. An object lives in frames that its creator gave. */
#ifndef KERNEL_OBJECT_H
#define KERNEL_OBJECT_H

#include <hal.h>
#include <host.h>
#include <limpet/call.h>
#include <limpet/error.h>

struct object {
	u32 type;	     /* enum limpet_type */
	u32 refs;	     /* capabilities and other objects that name it */
	u32 frame;	     /* first of its frames */
	u32 frames;	     /* how many; 0: it is part of struct cpu */
	struct object *next; /* in the list of those without a name */
};

struct cpu;

/* What the handler of a kernel call returns when it set the caller's status itself. */
#define CALL_DONE 1

/*
 * Gives up one name of an object. One without names is doomed: nothing can reach it any more, and
 * CAP_DELETE and CAP_REVOKE take it apart in bounded steps, calling the *_destroy functions.
 */
void object_drop(struct cpu *cpu, struct object *object);
void object_doom(struct cpu *cpu, struct object *object);

/* What one step of a *_destroy function came to. */
enum destroyed {
	OBJECT_GONE,   /* its frames can be given back */
	OBJECT_PARTLY, /* another step is needed */
	OBJECT_BUSY,   /* not now: a thread executes, or has executed, in it */
};

#endif
