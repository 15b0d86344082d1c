// SPDX-License-Identifier: GPL-2.0
#include <runtime/component.h>
#include <runtime/print.h>

#include <import/fresh.h>
#include <import/kept.h>
#include <import/mem.h>

#include "../holder.h"

#define OFTEN 100

typedef long call6(word a, word b, word c, word d, word e, word f, word *x, word *y, word *z);

static unsigned int crashes[2];
static word x;

static long request(bool kept, enum holder_action action, word b)
{
	call6 *const call = kept ? kept_call6 : fresh_call6;
	word y, z;

	return call(action, b, 0, 0, 0, 0, &x, &y, &z);
}

static bool crash(bool kept, word address)
{
	crashes[kept]++;
	return request(kept, HOLDER_READ, address) == LIMPET_ECRASH;
}

static bool as_at_first(bool kept)
{
	return request(kept, HOLDER_CHECK, 0) == 0 && request(kept, HOLDER_USED, 0) == PAGES;
}

static void verdict(bool right, const char *what)
{
	limpet_print("%s: %s\n", right ? "right" : "wrong", what);
}

static bool changed_and_crashed(bool kept)
{
	return request(kept, HOLDER_CHANGE, 0) == LIMPET_OK && request(kept, HOLDER_CHECK, 0) > 0 &&
	       crash(kept, 0) && as_at_first(kept);
}

/* Checks that memory reserved and touched after the checkpoint is free afterwards, also at its address. */
static bool later_is_gone(bool kept)
{
	bool right = request(kept, HOLDER_RESERVE, 0) == LIMPET_OK;
	word at = x;

	right &= request(kept, HOLDER_READ, at) == LIMPET_OK;
	right &= request(kept, HOLDER_USED, 0) == PAGES + MORE;
	right &= crash(kept, 0) && as_at_first(kept);
	return right && crash(kept, at) && as_at_first(kept);
}

/* Checks that freed memory returns after a crash. Memory of the checkpoint counts against the quota even when freed. */
static bool given_back_is_back(bool kept)
{
	return request(kept, HOLDER_FREE, 0) == LIMPET_OK && request(kept, HOLDER_CHECK, 0) == -1 &&
	       request(kept, HOLDER_USED, 0) == (kept ? PAGES : 0) && crash(kept, 0) &&
	       as_at_first(kept);
}

static word frames(void)
{
	word used, left = 0;

	mem_available(&used, &left);
	return left;
}

static bool often(bool kept)
{
	word before = frames();
	bool right = true;

	for (unsigned int i = 0; i < OFTEN; i++)
		right &= request(kept, HOLDER_RESERVE, 0) == LIMPET_OK && changed_and_crashed(kept);
	return right && frames() == before;
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	verdict(as_at_first(true) && as_at_first(false), "at first");
	verdict(changed_and_crashed(true), "at its checkpoint");
	verdict(changed_and_crashed(false), "from its image");
	verdict(later_is_gone(true) && later_is_gone(false), "what came later is gone");
	verdict(given_back_is_back(true) && given_back_is_back(false),
		"what it had given back is back");
	verdict(often(true) && often(false), "nothing is lost by a hundred crashes");
	limpet_print("crashes %u %u\n", crashes[true], crashes[false]);
	limpet_print("done\n");
}
