// SPDX-License-Identifier: GPL-2.0
/* Compares derivation with a model: a tree of parents. */
#include "objects.h"

#define TABLES 3
#define SLOTS 62
#define NODES 4000

struct node {
	int parent; /* -1: no parent */
	bool lives;
	word table, slot;
};

static struct node nodes[NODES];
static int count;
static word table[TABLES]; /* slots of the booter's table */
static unsigned long seed;

static unsigned long next(unsigned long below)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (seed >> 33) % below;
}

static struct capability *where(const struct node *n)
{
	return &((struct table *)cap_at(table[n->table])->object)->slot[n->slot];
}

static bool descends(int node, int from)
{
	while (node >= 0 && node != from)
		node = nodes[node].parent;
	return node == from;
}

static int find(const struct capability *cap)
{
	for (int i = 0; i < count; i++)
		if (nodes[i].lives && where(&nodes[i]) == cap)
			return i;
	return -1;
}

/* The run of entries after each capability contains exactly the capabilities derived from it. */
static void check(void)
{
	for (int i = 0; i < count; i++) {
		const struct capability *cap = nodes[i].lives ? where(&nodes[i]) : NULL;
		unsigned int run = 0, wanted = 0;

		if (!cap)
			continue;
		assert_true(cap->type);
		for (const struct capability *c = cap->next; c && c->depth > cap->depth;
		     c = c->next) {
			assert_true(descends(find(c), i));
			run++;
		}
		for (int j = 0; j < count; j++)
			wanted += nodes[j].lives && j != i && descends(j, i);
		assert_int_equal(run, wanted);
	}
}

/* The number of filled slots is the number of living nodes. */
static void check_slots(void)
{
	unsigned int filled = 0, living = 0;

	for (unsigned int t = 0; t < TABLES; t++)
		for (unsigned int s = 0; s <= SLOTS; s++)
			filled += ((struct table *)cap_at(table[t])->object)->slot[s].type != 0;
	for (int i = 0; i < count; i++)
		living += nodes[i].lives;
	assert_int_equal(filled, living);
}

static int pick(void)
{
	for (unsigned int tries = 0; tries < 1000; tries++) {
		int i = next(count);

		if (nodes[i].lives)
			return i;
	}
	return -1;
}

static void born(int parent, word t, word slot)
{
	assert_true(count < NODES);
	nodes[count++] = (struct node){ .parent = parent, .lives = true, .table = t, .slot = slot };
}

static void die(int root, bool itself)
{
	for (int i = 0; i < count; i++)
		if (nodes[i].lives && descends(i, root) && (itself || i != root))
			nodes[i].lives = false;
}

static void derive(struct node *from, int index, unsigned int how)
{
	word t = next(TABLES), slot = 1 + next(SLOTS), here = table[from->table];
	const struct capability *cap = where(from);

	if (how == 0 && !call(CAP_COPY, here, from->slot, table[t], slot, LIMPET_ALL))
		born(index, t, slot);
	if (how == 1 && !call(CAP_MOVE, here, from->slot, table[t], slot)) {
		from->table = t;
		from->slot = slot;
	}
	if (cap->type != LIMPET_FRAMES ||
	    cap == &((struct table *)cap_at(table[t])->object)->slot[slot])
		return;
	/* These calls name their source by a slot of the caller's own table. */
	if (how >= 2 && call(CAP_MOVE, here, from->slot, T, EMPTY))
		return;
	if (how == 2 && !call(FRAME_SPLIT, EMPTY, 1, table[t], slot))
		born(from->parent, t, slot);
	if (how == 3 && !call(FRAME_RETYPE, EMPTY, LIMPET_ENDPOINT, table[t], slot))
		born(index, t, slot);
	if (how >= 2)
		assert_ok(call(CAP_MOVE, T, EMPTY, here, from->slot));
}

static void operation_run(void)
{
	int i = pick();
	unsigned int how = next(16);
	long status;

	if (i < 0)
		return;
	if (how < 14) {
		derive(&nodes[i], i, how % 4);
		return;
	}
	if (nodes[i].parent < 0 && how == 14)
		return; /* the roots stay */
	do
		status = how == 14 ? call(CAP_DELETE, table[nodes[i].table], nodes[i].slot)
				   : call(CAP_REVOKE, table[nodes[i].table], nodes[i].slot);
	while (status == LIMPET_EAGAIN);
	assert_ok(status);
	die(i, how == 14);
}

static void run(unsigned long from)
{
	seed = from;
	count = 0;
	assert_true(machine_boot(1, 1024));
	for (unsigned int t = 0; t < TABLES; t++)
		table[t] = object_new(LIMPET_TABLE, 1);
	for (unsigned int i = 0; i < 3; i++) {
		word frames = frames_new(50);

		assert_ok(call(CAP_MOVE, T, frames, table[i], 1));
		born(-1, i, 1);
	}
	machine.checks = 0;
	for (unsigned int i = 0; i < 1500; i++) {
		operation_run();
		if (i % 8 == 0) {
			check();
			check_slots();
			invariants();
		}
	}
}

static void test_model(void **state)
{
	(void)state;
	for (unsigned long from = 1; from <= 6; from++)
		run(from);
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_model) };

	return RUN("derivation", tests);
}
