// SPDX-License-Identifier: BSD-2-Clause
/* Compares lib/sched/tree with a sorted list: order, equal keys, removal, summaries, height, number of accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <sched/tree.h>

#include "chance.h"
#include "points.h"

#define NODES 1025 /* including node 0 */
#define HEIGHT 14  /* maximum height of an AVL tree of 1,024 nodes */

/* A structure with a node in its middle, as in a scheduler. */
struct holder {
	uint64_t before[3];
	struct node node;
	uint64_t behind[2];
};

static struct holder holder[NODES];
static struct tree tree;

/* The reference: a sorted list. */
static struct {
	unsigned int id;
	uint64_t key;
	uint32_t own;
} list[NODES];
static unsigned int listed;
static bool in[NODES];
static uint64_t accesses, insert_max, remove_max, find_max;

/* Called at each memory access of the instrumented code. */
void fake_point(void)
{
	accesses++;
}

static unsigned int link_of(unsigned int id)
{
	return id * (unsigned int)(sizeof(struct holder) / TREE_UNIT);
}

static unsigned int id_of(unsigned int link)
{
	assert_int_equal(link % (sizeof(struct holder) / TREE_UNIT), 0);
	return link / (unsigned int)(sizeof(struct holder) / TREE_UNIT);
}

static void begin(bool bits)
{
	memset(holder, 0x5a, sizeof(holder));
	for (unsigned int id = 1; id < NODES; id++)
		holder[id].node.height = 0;
	memset(in, 0, sizeof(in));
	listed = 0;
	tree_init(&tree, &holder[0].node, bits);
	assert_int_equal(tree_first_key(&tree), UINT64_MAX);
}

static void note(uint64_t *max, uint64_t before)
{
	if (accesses - before > *max)
		*max = accesses - before;
}

static void insert(unsigned int id, uint64_t key, uint32_t own)
{
	uint64_t before = accesses;
	unsigned int at = listed++;

	tree_insert(&tree, link_of(id), key, own);
	note(&insert_max, before);
	for (; at && list[at - 1].key > key; at--)
		list[at] = list[at - 1];
	list[at].id = id;
	list[at].key = key;
	list[at].own = own;
	in[id] = true;
}

static unsigned int place(unsigned int id)
{
	unsigned int at = 0;

	while (list[at].id != id)
		at++;
	return at;
}

static void take(unsigned int id)
{
	uint64_t before = accesses;
	unsigned int at = place(id);

	tree_remove(&tree, link_of(id));
	note(&remove_max, before);
	for (listed--; at < listed; at++)
		list[at] = list[at + 1];
	in[id] = false;
}

static void renumber(unsigned int id, uint32_t own)
{
	uint64_t before = accesses;

	tree_renumber(&tree, link_of(id), own);
	note(&insert_max, before);
	list[place(id)].own = own;
}

/* Returns the result of tree_first_below() or tree_first_with() according to the list. */
static unsigned int first_of(uint32_t number)
{
	for (unsigned int at = 0; at < listed; at++)
		if (tree.bits ? list[at].own & number : list[at].own < number)
			return list[at].id;
	return 0;
}

static void check_find(uint32_t number)
{
	uint64_t before = accesses;
	unsigned int found = tree.bits ? tree_first_with(&tree, number)
				       : tree_first_below(&tree, number);

	note(&find_max, before);
	assert_int_equal(id_of(found), first_of(number));
}

/* Checks height, balance, summary and parent links of a subtree. Returns its height. */
static unsigned int check_below(unsigned int link, unsigned int parent, uint32_t *sum)
{
	const struct node *n = tree_node(&tree, link);
	uint32_t left, right;
	int high, low;

	*sum = tree.bits ? 0 : UINT32_MAX;
	if (!link)
		return 0;
	assert_int_equal(n->parent, parent);
	high = (int)check_below(n->left, link, &left);
	low = (int)check_below(n->right, link, &right);
	assert_in_range(high - low + 1, 0, 2);
	assert_int_equal(n->height, 1 + (high > low ? high : low));
	*sum = tree.bits				 ? n->own | left | right
	       : (n->own < left ? n->own : left) < right ? (n->own < left ? n->own : left)
							 : right;
	assert_int_equal(n->sum, *sum);
	return n->height;
}

static void check(void)
{
	unsigned int link = tree.first;
	uint32_t sum;

	assert_true(check_below(tree.root, 0, &sum) <= HEIGHT);
	for (unsigned int at = 0; at < listed; at++) {
		assert_int_equal(id_of(link), list[at].id);
		assert_int_equal(tree_node(&tree, link)->key, list[at].key);
		link = tree_next(&tree, link);
	}
	assert_int_equal(link, 0);
	assert_int_equal(tree_first_key(&tree), listed ? list[0].key : UINT64_MAX);
	for (unsigned int id = 1; id < NODES; id++)
		assert_int_equal(tree_has(&tree, link_of(id)), in[id]);
}

/* Checks tree_next_with() for a random node. */
static void check_next(uint32_t number)
{
	unsigned int at = random_below(listed), next = at + 1;
	uint64_t before = accesses;
	unsigned int found = tree_next_with(&tree, link_of(list[at].id), number);

	note(&find_max, before);
	while (next < listed && !(list[next].own & number))
		next++;
	assert_int_equal(id_of(found), next < listed ? list[next].id : 0);
}

/* Random operations with at most `nodes` nodes and `keys` different keys. With few keys most keys are equal. */
static void run(bool bits, unsigned int nodes, unsigned int keys, unsigned int turns)
{
	begin(bits);
	for (unsigned int turn = 0; turn < turns; turn++) {
		unsigned int id = 1 + random_below(nodes);
		uint32_t own = bits ? 1u << random_below(32) : random_below(256);

		if (!in[id])
			insert(id, random_below(keys), own);
		else if (random_below(4))
			take(id);
		else
			renumber(id, own);
		check_find(bits ? 1u << random_below(32) : random_below(256));
		if (bits && listed)
			check_next(1u << random_below(32));
		if (nodes < 20 || turn % 64 == 0)
			check();
	}
	check();
}

static void test_random(void **state)
{
	static const unsigned int nodes[] = { 1, 2, 3, 7, 16, 100, NODES - 1 };

	(void)state;
	for (unsigned int i = 0; i < array_size(nodes); i++)
		for (unsigned int keys = 1; keys < 1u << 20; keys *= 32)
			for (unsigned int bits = 0; bits < 2; bits++)
				run(bits, nodes[i], keys, 3000);
}

/* Inserts in ascending order, in descending order and with equal keys. Then removes the first node, as timers do. */
static void test_orders(void **state)
{
	(void)state;
	for (unsigned int order = 0; order < 3; order++) {
		begin(false);
		for (unsigned int id = 1; id < NODES; id++)
			insert(id, order == 0 ? id : order == 1 ? NODES - id : 7, id % 256);
		check();
		while (listed) {
			take(list[0].id);
			if (listed % 64 == 0)
				check();
		}
	}
}

/* Checks the maximum memory accesses of an operation in the tests above, with up to 1,024 nodes. */
static void test_accesses(void **state)
{
	(void)state;
	printf("at most %lu accesses to insert, %lu to remove, %lu to find\n", insert_max,
	       remove_max, find_max);
	assert_in_range(insert_max, HEIGHT, 400);
	assert_in_range(remove_max, HEIGHT, 450);
	assert_in_range(find_max, HEIGHT, 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_random),
					    cmocka_unit_test(test_orders),
					    cmocka_unit_test(test_accesses) };

	seed = 20261123;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
