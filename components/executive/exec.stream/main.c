// SPDX-License-Identifier: BSD-2-Clause
#include "stream.h"

#include <executive/start.h>
#include <guest/numbers.h>
#include <runtime/component.h>

static struct executive_answer call_answer(unsigned int id, word number, word w1, word w2)
{
	switch (number) {
	case GUEST_CALL_read:
	case GUEST_CALL_readv:
	case GUEST_CALL_recvfrom:
	case GUEST_CALL_recvmsg:
	case GUEST_CALL_recvmmsg:
		stream_receive(id);
		break;
	case GUEST_CALL_execve:
		program_called(id, w1);
		break;
	case GUEST_CALL_execveat:
		program_called(id, w2);
		break;
	}
	return executive_passed();
}

struct executive_answer executive_event(word event, word w0, word w1, word w2, word w3, word w4,
					word w5)
{
	unsigned int id = LIMPET_GUEST_ID(event), kind = LIMPET_GUEST_KIND(event);

	(void)w3;
	(void)w4;
	(void)w5;
	if (unlikely(id >= LIMPET_GUESTS_MAX))
		return executive_passed();
	if (kind == LIMPET_GUEST_CALL)
		return call_answer(id, w0, w1, w2);
	turn_life(kind, id, w2);
	return executive_passed();
}

void component_main(const struct limpet_info *info)
{
	stream_init((word)limpet_arg_within(info, "period-us", 10000, 1000, 1000000),
		    (word)limpet_arg_within(info, "quantum-us", 1000, 100, 100000));
	if (!stream_rules_load(info))
		return;
	executive_start(
		LIMPET_GUEST_WANTS(LIMPET_GUEST_BEGIN) | LIMPET_GUEST_WANTS(LIMPET_GUEST_EXEC) |
		LIMPET_GUEST_WANTS(LIMPET_GUEST_END) | LIMPET_GUEST_WANTS(LIMPET_GUEST_BREAK));
}
