/* SPDX-License-Identifier: GPL-2.0 */
/* The header of each kernel object. An object is in frames that its creator provides. */
#ifndef KERNEL_OBJECT_H
#define KERNEL_OBJECT_H

#include <hal.h>
#include <host.h>
#include <limpet/call.h>
#include <limpet/error.h>

struct object {
	u32 type;	     /* enum limpet_type */
	u32 refs;	     /* references by capabilities and other objects */
	u32 frame;	     /* number of its first frame */
	u32 frames;	     /* number of frames; 0: it is part of struct cpu */
	struct object *next; /* next object without references */
};

struct cpu;

/* The handler of a kernel call returns this value if it has set the caller's status itself. */
#define CALL_DONE 1

/*
 * object_drop() removes one reference to an object. If it was the last one, object_doom() marks the
 * object as doomed. CAP_DELETE and CAP_REVOKE destroy doomed objects in bounded steps by the
 * *_destroy functions.
 */
void object_drop(struct cpu *cpu, struct object *object);
void object_doom(struct cpu *cpu, struct object *object);

/* Result of one step of a *_destroy function. */
enum destroyed {
	OBJECT_GONE,   /* its frames can be freed */
	OBJECT_PARTLY, /* another step is needed */
	OBJECT_BUSY,   /* it cannot be destroyed yet, because a thread uses it */
};

#endif
