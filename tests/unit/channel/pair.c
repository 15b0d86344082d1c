// SPDX-License-Identifier: GPL-2.0
#include "channel.h"

static void nothing(void)
{
}

void (*before_load)(void) = nothing;

static void *memory(uint64_t size)
{
	void *made = size ? aligned_alloc(64, size) : NULL;

	if (made)
		memset(made, 0, size);
	return made;
}

void pair_make(struct pair *p, uint64_t a_to_b, uint64_t b_to_a)
{
	struct limpet_side *a = memory(sizeof(*a)), *b = memory(sizeof(*b));
	char *there = memory(a_to_b), *back = memory(b_to_a);

	before_load = nothing;
	p->a = (struct limpet_end){
		.self = a, .peer = b, .out = there, .in = back, .out_size = a_to_b, .in_size = b_to_a
	};
	p->b = (struct limpet_end){
		.self = b, .peer = a, .out = back, .in = there, .out_size = b_to_a, .in_size = a_to_b
	};
}

void pair_connect(struct pair *p)
{
	limpet_end_begin(&p->a, 1);
	limpet_end_begin(&p->b, 1);
	limpet_end_connected(&p->a);
	assert_true(limpet_end_connected(&p->b));
	assert_true(limpet_end_connected(&p->a));
	assert_true(limpet_end_wanted(&p->a, 0));
	assert_true(limpet_end_wanted(&p->b, 0));
}

void pair_free(struct pair *p)
{
	before_load = nothing;
	free(p->a.self);
	free(p->b.self);
	free(p->a.out);
	free(p->b.out);
}
