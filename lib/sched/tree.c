// SPDX-License-Identifier: BSD-2-Clause
#include <sched/tree.h>

void tree_init(struct tree *t, struct node *node, bool bits)
{
	*t = (struct tree){ .base = (char *)node, .bits = bits };
	*node = (struct node){ .key = UINT64_MAX,
			       .own = bits ? 0 : UINT32_MAX,
			       .sum = bits ? 0 : UINT32_MAX };
}

static uint32_t join(const struct tree *t, uint32_t a, uint32_t b)
{
	if (t->bits)
		return a | b;
	return a < b ? a : b;
}

/* Updates height and summary of a node from those of its children. */
static void update(const struct tree *t, struct node *n)
{
	const struct node *left = tree_node(t, n->left), *right = tree_node(t, n->right);

	n->height = (uint8_t)(1 + (left->height > right->height ? left->height : right->height));
	n->sum = join(t, n->own, join(t, left->sum, right->sum));
}

/* Replaces child `link` of `parent` with `with`. If `with` is 0, sets the parent of node 0, which is never read. */
static void replace(struct tree *t, unsigned int parent, unsigned int link, unsigned int with)
{
	struct node *p = tree_node(t, parent);

	if (!parent)
		t->root = (uint16_t)with;
	else if (p->left == link)
		p->left = (uint16_t)with;
	else
		p->right = (uint16_t)with;
	tree_node(t, with)->parent = (uint16_t)parent;
}

/* Moves a node's right child to its place, and the node to the left below that child. Returns the child. */
static unsigned int rotate_left(struct tree *t, unsigned int link)
{
	struct node *n = tree_node(t, link), *up;
	unsigned int right = n->right;

	up = tree_node(t, right);
	replace(t, n->parent, link, right);
	n->right = up->left;
	tree_node(t, up->left)->parent = (uint16_t)link;
	up->left = (uint16_t)link;
	n->parent = (uint16_t)right;
	update(t, n);
	update(t, up);
	return right;
}

static unsigned int rotate_right(struct tree *t, unsigned int link)
{
	struct node *n = tree_node(t, link), *up;
	unsigned int left = n->left;

	up = tree_node(t, left);
	replace(t, n->parent, link, left);
	n->left = up->right;
	tree_node(t, up->right)->parent = (uint16_t)link;
	up->right = (uint16_t)link;
	n->parent = (uint16_t)left;
	update(t, n);
	update(t, up);
	return left;
}

/* Returns the height of a node's left subtree less that of its right subtree. */
static int lean(const struct tree *t, unsigned int link)
{
	const struct node *n = tree_node(t, link);

	return (int)tree_node(t, n->left)->height - (int)tree_node(t, n->right)->height;
}

/* Updates and balances a node whose subtrees are up to date. Returns the node that then has its place. */
static unsigned int balance(struct tree *t, unsigned int link)
{
	struct node *n = tree_node(t, link);
	int leans = lean(t, link);

	if (leans > 1) {
		if (lean(t, n->left) < 0)
			rotate_left(t, n->left);
		return rotate_right(t, link);
	}
	if (leans < -1) {
		if (lean(t, n->right) > 0)
			rotate_right(t, n->right);
		return rotate_left(t, link);
	}
	update(t, n);
	return link;
}

/* Updates and balances a node and its ancestors, until an ancestor does not change. */
static void settle(struct tree *t, unsigned int link)
{
	while (link) {
		const struct node *n = tree_node(t, link);
		uint32_t sum = n->sum;
		uint8_t height = n->height;

		n = tree_node(t, balance(t, link));
		if (n->height == height && n->sum == sum)
			return;
		link = n->parent;
	}
}

void tree_insert(struct tree *t, unsigned int link, uint64_t key, uint32_t own)
{
	unsigned int parent = 0, at = t->root;
	uint16_t *child = &t->root;
	bool first = true;

	while (at) {
		struct node *n = tree_node(t, at);

		parent = at;
		child = key < n->key ? &n->left : &n->right;
		first = first && key < n->key;
		at = *child;
	}
	*child = (uint16_t)link;
	if (first)
		t->first = (uint16_t)link;
	*tree_node(t, link) = (struct node){
		.key = key, .own = own, .sum = own, .parent = (uint16_t)parent, .height = 1
	};
	settle(t, parent);
}

static unsigned int leftmost(const struct tree *t, unsigned int link)
{
	while (tree_node(t, link)->left)
		link = tree_node(t, link)->left;
	return link;
}

unsigned int tree_next(const struct tree *t, unsigned int link)
{
	const struct node *n = tree_node(t, link);
	unsigned int parent = n->parent;

	if (n->right)
		return leftmost(t, n->right);
	while (parent && tree_node(t, parent)->right == link) {
		link = parent;
		parent = tree_node(t, parent)->parent;
	}
	return parent;
}

/* Removes a node with two children. The next node takes its place. */
static void remove_inner(struct tree *t, unsigned int link)
{
	struct node *n = tree_node(t, link);
	unsigned int next = leftmost(t, n->right), from;
	struct node *s = tree_node(t, next);

	from = s->parent == link ? next : s->parent;
	if (from != next) {
		replace(t, from, next, s->right);
		s->right = n->right;
		tree_node(t, n->right)->parent = (uint16_t)next;
	}
	s->left = n->left;
	tree_node(t, n->left)->parent = (uint16_t)next;
	s->height = n->height;
	s->sum = n->sum;
	replace(t, n->parent, link, next);
	settle(t, from);
	/* Also if the first call stopped below `next`, because `next` has another number than the removed node. */
	settle(t, next);
}

void tree_remove(struct tree *t, unsigned int link)
{
	struct node *n = tree_node(t, link);

	if (t->first == link)
		t->first = (uint16_t)tree_next(t, link);
	if (n->left && n->right) {
		remove_inner(t, link);
	} else {
		replace(t, n->parent, link, n->left ? n->left : n->right);
		settle(t, n->parent);
	}
	n->height = 0;
}

void tree_renumber(struct tree *t, unsigned int link, uint32_t own)
{
	tree_node(t, link)->own = own;
	settle(t, link);
}

unsigned int tree_first_below(const struct tree *t, uint32_t limit)
{
	unsigned int at = t->root;

	if (tree_node(t, at)->sum >= limit)
		return 0;
	for (;;) {
		const struct node *n = tree_node(t, at);

		if (tree_node(t, n->left)->sum < limit)
			at = n->left;
		else if (n->own < limit)
			return at;
		else
			at = n->right;
	}
}

/* Returns the first node of a subtree that has one of the bits, or 0. */
static unsigned int first_with(const struct tree *t, unsigned int at, uint32_t bits)
{
	if (!(tree_node(t, at)->sum & bits))
		return 0;
	for (;;) {
		const struct node *n = tree_node(t, at);

		if (tree_node(t, n->left)->sum & bits)
			at = n->left;
		else if (n->own & bits)
			return at;
		else
			at = n->right;
	}
}

unsigned int tree_first_with(const struct tree *t, uint32_t bits)
{
	return first_with(t, t->root, bits);
}

unsigned int tree_next_with(const struct tree *t, unsigned int link, uint32_t bits)
{
	unsigned int found = first_with(t, tree_node(t, link)->right, bits);

	while (!found && tree_node(t, link)->parent) {
		unsigned int from = link;
		const struct node *n;

		link = tree_node(t, link)->parent;
		n = tree_node(t, link);
		if (n->left == from)
			found = n->own & bits ? link : first_with(t, n->right, bits);
	}
	return found;
}
