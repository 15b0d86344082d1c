/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A balanced tree (AVL) of nodes that are part of other structures: ordered by key, first in first
 * out among equal keys. The first node is at hand. Everything else takes at most a number of steps
 * that grows with the logarithm of the number of nodes: 1,024 nodes are at most 14 levels deep.
 *
 * A link is the distance of a node from node 0, in units of 8 bytes. So nodes of all sizes of
 * structures are found by one addition, and links take two bytes. Node 0 is never in the tree: it
 * stands for "no node" and ends all walks.
 *
 * Each subtree has a summary of the numbers `own` of its nodes: their minimum, or the union of their
 * bits. So the first node with a small number, or with one of several bits, is found by descending.
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
	bool bits; /* the summary is a union of bits; else a minimum */
};

static inline struct node *tree_node(const struct tree *t, unsigned int link)
{
	return (struct node *)(void *)(t->base + link * TREE_UNIT);
}

/* Makes an empty tree of nodes that begin at `node`, which is node 0, and gets the greatest key. */
void tree_init(struct tree *t, struct node *node, bool bits);
/* Adds a node that is not in the tree, behind all with the same key. */
void tree_insert(struct tree *t, unsigned int link, uint64_t key, uint32_t own);
/* Removes a node that is in the tree. */
void tree_remove(struct tree *t, unsigned int link);
/* Gives a node that is in the tree another number. */
void tree_renumber(struct tree *t, unsigned int link, uint32_t own);
/* The node behind one that is in the tree; 0: it is the last one. */
unsigned int tree_next(const struct tree *t, unsigned int link);
/* The first node whose number is less than `limit`, for trees with a minimum; 0: there is none. */
unsigned int tree_first_below(const struct tree *t, uint32_t limit);
/* The first node that has one of the bits, for trees with a union; 0: there is none. */
unsigned int tree_first_with(const struct tree *t, uint32_t bits);
/* The same behind a node that is in the tree. */
unsigned int tree_next_with(const struct tree *t, unsigned int link, uint32_t bits);

/* Whether a node is in the tree. */
static inline bool tree_has(const struct tree *t, unsigned int link)
{
	return tree_node(t, link)->height;
}

/* The smallest key; of an empty tree the greatest value. */
static inline uint64_t tree_first_key(const struct tree *t)
{
	return tree_node(t, t->first)->key;
}

#endif
