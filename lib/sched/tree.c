// SPDX-License-Identifier: BSD-2-Clause
#include <sched/tree.h>

void tree_init(struct tree *tree, struct node *node, bool bits)
{
	*tree = (struct tree){ .base = (char *)node, .bits = bits };
	*node = (struct node){ .key = UINT64_MAX,
			       .own = bits ? 0 : UINT32_MAX,
			       .sum = bits ? 0 : UINT32_MAX };
}

static uint32_t join(const struct tree *tree, uint32_t a, uint32_t b)
{
	if (tree->bits)
		return a | b;
	return a < b ? a : b;
}

/* Updates height and summary of a node from those of its children. */
static void update(const struct tree *tree, struct node *node)
{
	const struct node *left = tree_node(tree, node->left),
			  *right = tree_node(tree, node->right);

	node->height = (uint8_t)(1 + (left->height > right->height ? left->height : right->height));
	node->sum = join(tree, node->own, join(tree, left->sum, right->sum));
}

/* Replaces child `link` of `parent` with `with`. If `with` is 0, sets the parent of node 0, which is never read. */
static void replace(struct tree *tree, unsigned int parent, unsigned int link, unsigned int with)
{
	struct node *above = tree_node(tree, parent);

	if (!parent)
		tree->root = (uint16_t)with;
	else if (above->left == link)
		above->left = (uint16_t)with;
	else
		above->right = (uint16_t)with;
	tree_node(tree, with)->parent = (uint16_t)parent;
}

/* Moves a node's right child to its place, and the node to the left below that child. Returns the child. */
static unsigned int rotate_left(struct tree *tree, unsigned int link)
{
	struct node *node = tree_node(tree, link), *up;
	unsigned int right = node->right;

	up = tree_node(tree, right);
	replace(tree, node->parent, link, right);
	node->right = up->left;
	tree_node(tree, up->left)->parent = (uint16_t)link;
	up->left = (uint16_t)link;
	node->parent = (uint16_t)right;
	update(tree, node);
	update(tree, up);
	return right;
}

static unsigned int rotate_right(struct tree *tree, unsigned int link)
{
	struct node *node = tree_node(tree, link), *up;
	unsigned int left = node->left;

	up = tree_node(tree, left);
	replace(tree, node->parent, link, left);
	node->left = up->right;
	tree_node(tree, up->right)->parent = (uint16_t)link;
	up->right = (uint16_t)link;
	node->parent = (uint16_t)left;
	update(tree, node);
	update(tree, up);
	return left;
}

/* Returns the height of a node's left subtree less that of its right subtree. */
static int lean(const struct tree *tree, unsigned int link)
{
	const struct node *node = tree_node(tree, link);

	return (int)tree_node(tree, node->left)->height - (int)tree_node(tree, node->right)->height;
}

/* Updates and balances a node whose subtrees are up to date. Returns the node that then has its place. */
static unsigned int balance(struct tree *tree, unsigned int link)
{
	struct node *node = tree_node(tree, link);
	int leans = lean(tree, link);

	if (leans > 1) {
		if (lean(tree, node->left) < 0)
			rotate_left(tree, node->left);
		return rotate_right(tree, link);
	}
	if (leans < -1) {
		if (lean(tree, node->right) > 0)
			rotate_right(tree, node->right);
		return rotate_left(tree, link);
	}
	update(tree, node);
	return link;
}

/* Updates and balances a node and its ancestors, until an ancestor does not change. */
static void settle(struct tree *tree, unsigned int link)
{
	while (link) {
		const struct node *node = tree_node(tree, link);
		uint32_t sum = node->sum;
		uint8_t height = node->height;

		node = tree_node(tree, balance(tree, link));
		if (node->height == height && node->sum == sum)
			return;
		link = node->parent;
	}
}

void tree_insert(struct tree *tree, unsigned int link, uint64_t key, uint32_t own)
{
	unsigned int parent = 0, at = tree->root;
	uint16_t *child = &tree->root;
	bool first = true;

	while (at) {
		struct node *node = tree_node(tree, at);

		parent = at;
		child = key < node->key ? &node->left : &node->right;
		first = first && key < node->key;
		at = *child;
	}
	*child = (uint16_t)link;
	if (first)
		tree->first = (uint16_t)link;
	*tree_node(tree, link) = (struct node){
		.key = key, .own = own, .sum = own, .parent = (uint16_t)parent, .height = 1
	};
	settle(tree, parent);
}

static unsigned int leftmost(const struct tree *tree, unsigned int link)
{
	while (tree_node(tree, link)->left)
		link = tree_node(tree, link)->left;
	return link;
}

unsigned int tree_next(const struct tree *tree, unsigned int link)
{
	const struct node *node = tree_node(tree, link);
	unsigned int parent = node->parent;

	if (node->right)
		return leftmost(tree, node->right);
	while (parent && tree_node(tree, parent)->right == link) {
		link = parent;
		parent = tree_node(tree, parent)->parent;
	}
	return parent;
}

/* Removes a node with two children. The next node takes its place. */
static void remove_inner(struct tree *tree, unsigned int link)
{
	struct node *node = tree_node(tree, link);
	unsigned int next = leftmost(tree, node->right), from;
	struct node *successor = tree_node(tree, next);

	from = successor->parent == link ? next : successor->parent;
	if (from != next) {
		replace(tree, from, next, successor->right);
		successor->right = node->right;
		tree_node(tree, node->right)->parent = (uint16_t)next;
	}
	successor->left = node->left;
	tree_node(tree, node->left)->parent = (uint16_t)next;
	successor->height = node->height;
	successor->sum = node->sum;
	replace(tree, node->parent, link, next);
	settle(tree, from);
	/* Also if the first call stopped below `next`, because `next` has another number than the removed node. */
	settle(tree, next);
}

void tree_remove(struct tree *tree, unsigned int link)
{
	struct node *node = tree_node(tree, link);

	if (tree->first == link)
		tree->first = (uint16_t)tree_next(tree, link);
	if (node->left && node->right) {
		remove_inner(tree, link);
	} else {
		replace(tree, node->parent, link, node->left ? node->left : node->right);
		settle(tree, node->parent);
	}
	node->height = 0;
}

void tree_renumber(struct tree *tree, unsigned int link, uint32_t own)
{
	tree_node(tree, link)->own = own;
	settle(tree, link);
}

uint32_t tree_min_until(const struct tree *tree, uint64_t key)
{
	uint32_t min = UINT32_MAX;

	for (unsigned int at = tree->root; at;) {
		const struct node *node = tree_node(tree, at);

		if (node->key > key) {
			at = node->left;
			continue;
		}
		min = join(tree, min, join(tree, node->own, tree_node(tree, node->left)->sum));
		at = node->right;
	}
	return min;
}

unsigned int tree_first_below(const struct tree *tree, uint32_t limit)
{
	unsigned int at = tree->root;

	if (tree_node(tree, at)->sum >= limit)
		return 0;
	for (;;) {
		const struct node *node = tree_node(tree, at);

		if (tree_node(tree, node->left)->sum < limit)
			at = node->left;
		else if (node->own < limit)
			return at;
		else
			at = node->right;
	}
}

/* Returns the first node of a subtree that has one of the bits, or 0. */
static unsigned int first_with(const struct tree *tree, unsigned int at, uint32_t bits)
{
	if (!(tree_node(tree, at)->sum & bits))
		return 0;
	for (;;) {
		const struct node *node = tree_node(tree, at);

		if (tree_node(tree, node->left)->sum & bits)
			at = node->left;
		else if (node->own & bits)
			return at;
		else
			at = node->right;
	}
}

unsigned int tree_first_with(const struct tree *tree, uint32_t bits)
{
	return first_with(tree, tree->root, bits);
}

unsigned int tree_next_with(const struct tree *tree, unsigned int link, uint32_t bits)
{
	unsigned int found = first_with(tree, tree_node(tree, link)->right, bits);

	while (!found && tree_node(tree, link)->parent) {
		unsigned int from = link;
		const struct node *node;

		link = tree_node(tree, link)->parent;
		node = tree_node(tree, link);
		if (node->left == from)
			found = node->own & bits ? link : first_with(tree, node->right, bits);
	}
	return found;
}
