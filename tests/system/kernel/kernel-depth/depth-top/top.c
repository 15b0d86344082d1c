// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/print.h>

#include <import/first.h>

#define LINKS_MAX 300

static word badge[LINKS_MAX]; /* of each link: 1 + index of its caller */
static word deepest;	      /* invocations that this thread can nest */
static unsigned long right, refused, wrong;

static void complain(const char *what, word links, word value)
{
	if (wrong++ < 10)
		limpet_print("wrong: %s: %lu links wanted, got %lu\n", what, links, value);
}

/* Returns the value after `links` links and their returns. */
static word expected(word value, word links)
{
	for (word i = 0; i < links; i++)
		value = value * 3 + badge[i];
	for (word i = links - 1; i-- > 0;)
		value = value * 5 + badge[i];
	return value;
}

static void try(word links, word value)
{
	const word max = links < deepest ? links : deepest;
	const word error = links > deepest ? -LIMPET_EDEPTH : 0;
	word x = 0, y = 0, z = 0;
	long status = first_call4(links - 1, value, value ^ links, value + links, &x, &y, &z);

	if (status != (long)((value ^ links) & 0xffff))
		complain("status", links, (word)status);
	else if (y != max)
		complain("depth", links, y);
	else if (z != error)
		complain("error", links, z);
	else if (x != expected(value, max))
		complain("value", links, x);
	else
		(*(error ? &refused : &right))++;
}

/* The composer numbers servers before their clients, so the last link has the lowest index. */
static void badges_find(const struct limpet_info *info, word links)
{
	for (word i = 0; i < links; i++)
		badge[i] = 1 + info->index - i;
	if ((word)first_call0() != badge[0])
		limpet_print("wrong: the first link knows us by another badge than %lu\n",
			     badge[0]);
}

void component_main(const struct limpet_info *info)
{
	word rounds = (word)limpet_arg_number(info, "rounds", 1000);
	word links = (word)limpet_arg_number(info, "links", 30);
	word value = 0x123456789abcdef;

	deepest = (word)limpet_arg_number(info, "depth", LIMPET_DEPTH_DEFAULT);
	badges_find(info, links);
	for (word i = 0; i < rounds; i++)
		for (word depth = 1; depth <= links; depth++) {
			value = value * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
			try(depth, value);
		}
	limpet_print("right %lu, refused %lu, wrong %lu\n", right, refused, wrong);
	limpet_print("end\n");
}
