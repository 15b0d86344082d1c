/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A balanced tree (AVL) of nodes that are part of other structures. It is ordered by key, and FIFO among equal keys.
 * The first node is found in constant time. All other operations are O(log n). A tree of 1,024 nodes has at most 14
 * levels.
 *
 * A link is the distance of a node from node 0, in units of 8 bytes, and takes two bytes. One addition finds a node,
 * independent of the size of its structure. Node 0 is never in the tree. It means "no node" and ends all searches.
 *
 * Each subtree has a summary of the numbers `own` of its nodes: their minimum, or the union of their bits. A search for
 * the first node with a small number, or with one of several bits, descends along the summaries.
 */
#ifndef SCHED_TREE_H
#define SCHED_TREE_H

#include <runtime/types.h>

#define TREE_UNIT 8ul

struct node {
	uint64_t key;
	uint32_t own;
	uint32_t sum; /* of the node and all below it */
	uint16_t left, right, parent;
	uint8_t height; /* 0: the node is not in the tree */
};

struct tree {
	char *base; /* node 0 */
	uint16_t root, first;
	bool bits; /* the summary is a union of bits, else a minimum */
};

static inline struct node *tree_node(const struct tree *tree, unsigned int link)
{
	return (struct node *)(void *)(tree->base + link * TREE_UNIT);
}

/* Makes an empty tree of the nodes that start at `node`, which is node 0. Node 0 gets the maximum key. */
void tree_init(struct tree *tree, struct node *node, bool bits);
/* Adds a node that is not in the tree, after all nodes with the same key. */
void tree_insert(struct tree *tree, unsigned int link, uint64_t key, uint32_t own);
/* Removes a node that is in the tree. */
void tree_remove(struct tree *tree, unsigned int link);
/* Changes the number of a node that is in the tree. */
void tree_renumber(struct tree *tree, unsigned int link, uint32_t own);
/* Returns the node after one that is in the tree, or 0 if that is the last one. */
unsigned int tree_next(const struct tree *tree, unsigned int link);
/* Returns the first node with a number less than `limit`, or 0. Only for trees with a minimum. */
unsigned int tree_first_below(const struct tree *tree, uint32_t limit);
/* Returns the minimum number of the nodes up to a key, or UINT32_MAX without such a node. Only for trees with a minimum. */
uint32_t tree_min_until(const struct tree *tree, uint64_t key);
/* Returns the first node that has one of the bits, or 0. Only for trees with a union. */
unsigned int tree_first_with(const struct tree *tree, uint32_t bits);
/* Returns the next node with one of the bits after `link`, which is in the tree, or 0. */
unsigned int tree_next_with(const struct tree *tree, unsigned int link, uint32_t bits);

/* Returns whether a node is in the tree. */
static inline bool tree_has(const struct tree *tree, unsigned int link)
{
	return tree_node(tree, link)->height;
}

/* Returns the smallest key, or UINT64_MAX for an empty tree. */
static inline uint64_t tree_first_key(const struct tree *tree)
{
	return tree_node(tree, tree->first)->key;
}

#endif
