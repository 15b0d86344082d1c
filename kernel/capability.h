/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Capabilities and the tables that hold them.
 *
 * A capability is one slot of a table. All capabilities of a CPU are in one list. The descendants
 * of a capability follow it directly, and the depth of each is its parent's plus 1. A copy inserts
 * a deeper capability. Revocation deletes the deeper capabilities that follow. A capability never
 * exists longer than the one that it was derived from, so the deeper capabilities that follow are
 * exactly the descendants.
 */
#ifndef KERNEL_CAPABILITY_H
#define KERNEL_CAPABILITY_H

#include <kernel/object.h>

struct capability {
	u8 type;	       /* enum limpet_type */
	u8 rights;	       /* LIMPET_READ ... */
	u16 depth;	       /* depth in the derivation tree */
	struct object *object; /* NULL for frames, ports and resources */
	word a;		       /* frames: first frame; gate: entry; port: CPU and port */
	word b; /* frames: their number; gate: badge; resources: <kernel/resource.h> */
	struct capability *next, *prev;
	struct table *table; /* the table that this slot is in */
} __attribute__((aligned(64)));

_Static_assert(sizeof(struct capability) == LIMPET_SLOT_SIZE, "one cache line");

#define TABLE_HEADER 1 /* slots that the table's own record takes */
#define TABLE_FRAMES_MAX ((LIMPET_SLOTS_MAX + TABLE_HEADER) / 64)

struct table {
	struct object object;
	u32 slots;
	u32 emptied; /* slots that the destruction of the table has emptied */
	struct capability slot[] __attribute__((aligned(64)));
};

struct cpu;

/* Makes a table with as many slots as fit into `bytes`. */
struct object *table_create(void *memory, word bytes);

/*
 * Returns the capability in `slot` of the current component's table, or NULL if the slot is empty
 * or does not exist.
 */
struct capability *capability_find(struct cpu *cpu, word slot);
/*
 * Returns the capability in `slot` if it is of `type` and has all of `rights`. Otherwise returns
 * NULL and sets *error to LIMPET_ESLOT, LIMPET_ETYPE or LIMPET_ERIGHTS.
 */
struct capability *capability_get(struct cpu *cpu, word slot, enum limpet_type type,
				  unsigned int rights, long *error);
/* Looks up the object of such a capability. Returns NULL and sets *error on failure. */
static inline void *capability_object(struct cpu *cpu, word slot, enum limpet_type type,
				      unsigned int rights, long *error)
{
	struct capability *cap = capability_get(cpu, slot, type, rights, error);

	return cap ? cap->object : NULL;
}
/*
 * Looks up a capability that a call names after `before`, as capability_get() does. If `before` is NULL, returns NULL
 * and leaves *error unchanged.
 */
static inline struct capability *capability_next(struct cpu *cpu, const struct capability *before,
						 word slot, enum limpet_type type,
						 unsigned int rights, long *error)
{
	return before ? capability_get(cpu, slot, type, rights, error) : NULL;
}
/*
 * Returns the empty slot `slot` of the table that `table_slot` names, for a capability derived from `from`. On failure
 * returns NULL and sets *error. If `from` is NULL, returns NULL and leaves *error unchanged.
 */
struct capability *capability_empty(struct cpu *cpu, const struct capability *from, word table_slot,
				    word slot, long *error);
/*
 * Returns an empty slot as capability_empty() does, for `from` itself, a part or a copy of it. LIMPET_ERIGHTS: the slot
 * is in another table and `from` has no GRANT.
 */
struct capability *capability_target(struct cpu *cpu, const struct capability *from,
				     word table_slot, word slot, long *error);

/*
 * Fills the empty slot `to` with a capability derived from `from`. NULL: it is the root of a tree.
 */
void capability_derive(struct capability *to, struct capability *from, enum limpet_type type,
		       struct object *object, word a, word b, unsigned int rights);
/* Moves the first `count` frames of `from` to the empty slot `to`. Both have the same parent. */
void capability_split(struct capability *to, struct capability *from, word count);

/* Kernel calls; see docs/reference/kernel-calls.md. */
long call_cap_copy(struct cpu *cpu, struct hal_regs *regs);
long call_cap_move(struct cpu *cpu, struct hal_regs *regs);
long call_cap_delete(struct cpu *cpu, struct hal_regs *regs);
long call_cap_revoke(struct cpu *cpu, struct hal_regs *regs);
long call_cap_info(struct cpu *cpu, struct hal_regs *regs);

#endif
