// SPDX-License-Identifier: GPL-2.0
/*
 * Runs shared/channel/end.h, which components, the module and liblimpet compile, with two sides in every order that
 * two x86 processors allow. Checks these claims in each scenario:
 *
 *	- Every execution ends with both sides asleep and connected, and all messages, bytes and events of this connection
 *	  have arrived. No wake-up is lost.
 *	- They arrive complete, in order and once each. Data of an earlier connection do not arrive.
 *	- Each side accesses only the lines and rings of the channel, and stores only to its own.
 *	- Correct sides that restart at any instruction never consider each other broken.
 *
 * Usage: channel [SCENARIO]. Exit code 1: a claim is wrong. Exit code 2: the scenario does not
 * exist.
 */
#include <stdio.h>
#include <string.h>

#include "channel.h"

static const struct scenario scenarios[] = {
	{ .name = "messages", .sends = { 5, 0 } },
	{ .name = "both-ways", .sends = { 2, 2 } },
	{ .name = "bytes", .sends = { 7, 0 }, .bytes = true },
	{ .name = "events", .events = { 2, 2 } },
	{ .name = "sender-dies", .sends = { 2, 0 }, .dies = { 2, 0 } },
	{ .name = "receiver-dies", .sends = { 2, 0 }, .dies = { 0, 2 } },
	{ .name = "both-die", .sends = { 1, 0 }, .dies = { 1, 1 } },
	{ .name = "events-die", .events = { 1, 1 }, .dies = { 1, 0 } },
	{ .name = "scribbled", .scribbles = 1, .buffer = 1 },
	{ .name = "hostile-out", .sends = { 2, 0 }, .hostile = true },
	{ .name = "hostile-in", .sends = { 0, 2 }, .hostile = true },
	{ .name = "hostile-bytes-out", .sends = { 4, 0 }, .bytes = true, .hostile = true },
	{ .name = "hostile-bytes-in", .sends = { 0, 4 }, .bytes = true, .hostile = true },
	{ .name = "hostile-events", .events = { 1, 2 }, .hostile = true },
	{ .name = "scribbled-traffic",
	  .sends = { 1, 0 },
	  .scribbles = 1,
	  .buffer = 1,
	  .long_ = true },
};

const struct scenario *scenario;

static struct tso_model model = {
	.turn = side_turn,
	.happen = beside_happen,
	.ended = beside_ended,
	.name = beside_name,
	.own = beside_own,
};

static bool run(const struct scenario *s)
{
	static struct tso_world first;
	struct tso_result result;
	bool right;

	scenario = s;
	model.happenings = beside_happenings;
	model.buffer = s->buffer ? s->buffer : TSO_BUFFER;
	memset(&first, 0, sizeof(first));
	first.budget[0] = s->dies[0];
	first.budget[1] = s->dies[1];
	first.budget[2] = s->scribbles != 0;
	first.budget[3] = s->scribbles;
	right = tso_explore(&model, &first, &result);
	printf("%-14s %9lu states, %3u steps at most, %lu ends\n", s->name, result.states,
	       result.longest, result.ends);
	return right;
}

int main(int argc, char **argv)
{
	size_t i, ran = 0;

	for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (argc < 2 ? !scenarios[i].long_ : !strcmp(argv[1], scenarios[i].name)) {
			if (!run(&scenarios[i]))
				return 1;
			ran++;
		}
	return ran ? 0 : 2;
}
