// SPDX-License-Identifier: BSD-2-Clause
/* Call 494: calls of Linux that the executive makes in the guest's context, one after another. */
#include "probe.h"

#define CHAIN_MAX 1000

/* State of the calls of each guest. A call that the guest makes again continues at the same point. */
static struct chain {
	word left, sum, number, argument;
} chains[LIMPET_GUESTS_MAX];

static struct executive_answer chain_next(const struct chain *chain)
{
	return executive_linux(chain->number, (const word[6]){ chain->argument });
}

struct executive_answer chain_call(unsigned int id, word count, word number, word argument)
{
	struct chain *chain = &chains[id];

	if (chain->left)
		return chain_next(chain);
	if (count - 1 >= CHAIN_MAX)
		return executive_served(0);
	*chain = (struct chain){ count, 0, number, argument };
	return chain_next(chain);
}

bool chain_runs(unsigned int id)
{
	return chains[id].left;
}

struct executive_answer chain_result(unsigned int id, word result, word interrupted)
{
	struct chain *chain = &chains[id];

	if (interrupted)
		return executive_again();
	chain->sum += result;
	return --chain->left ? chain_next(chain) : executive_served((long)chain->sum);
}

void chain_forget(unsigned int id)
{
	chains[id].left = 0;
}
