// SPDX-License-Identifier: BSD-2-Clause
/* The probe's own calls, see probe.h. */
#include "probe.h"

#include <executive/linux.h>
#include <runtime/time.h>

static word nowhere = 0x10; /* an address that no component has; the compiler must not know it */

bool probe_call_known(word number)
{
	return number - own_first + OWN_NOTES < OWN_NOTES + OWN_CALLS;
}

static long mode_set(unsigned int id, word mode, word all)
{
	uint8_t old = mode_of[id];

	if (mode >= MODES || all > 1)
		return -LINUX_EINVAL;
	mode_of[id] = (uint8_t)mode;
	if (all)
		mode_first = (uint8_t)mode;
	return old;
}

/* Returns a counter, and sets it to 0 if `clear` is set. */
static long counter_read(word counter, word clear)
{
	if (counter >= COUNTERS || clear > 1)
		return -LINUX_EINVAL;
	if (clear)
		return (long)__atomic_exchange_n(&counters[counter], 0, __ATOMIC_RELAXED);
	return (long)counters[counter];
}

static long run_for(word ticks)
{
	word start = limpet_time();

	while (limpet_time() - start < ticks)
		;
	return 0;
}

static long run_committed(word ticks)
{
	static word started;
	const word count = __atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);

	if (!executive_commit())
		return -LINUX_EAGAIN;
	run_for(ticks);
	return (long)count;
}

static long bytes_sum(word address)
{
	uint8_t bytes[sizeof(word)];
	long status = executive_read(bytes, address, sizeof(bytes)), sum = 0;

	if (status < 0)
		return status;
	for (unsigned int i = 0; i < sizeof(bytes); i++)
		sum += bytes[i];
	return sum;
}

static long value_write(word address, word value)
{
	return executive_write(address, &value, sizeof(value));
}

static struct executive_answer wait_for(word ticks, word early)
{
	word now = limpet_time();
	long status =
		executive_wait(ticks < LIMPET_NEVER - now ? now + ticks : LIMPET_NEVER, early);

	return status == LIMPET_EINTR ? executive_again() : executive_served(status);
}

static long own_fault(void)
{
	return *(volatile long *)__atomic_load_n(&nowhere, __ATOMIC_RELAXED);
}

static long call_result(unsigned int id, word number, word w1, word w2, word w3)
{
	/* clang-format off */
	switch (number - own_first) {
	case -6ul: return run_committed(w1);
	case -4ul:
	case -3ul:
	case -2ul:
	case -1ul: return notes_call(id, number - own_first, w1, w2, w3);
	case 0: return id;
	case 1: return mode_set(id, w1, w2);
	case 2: return counter_read(w1, w2);
	case 3: return run_for(w1);
	case 4: return bytes_sum(w1);
	case 5: return value_write(w1, w2);
	case 7: return executive_wake((unsigned int)w1);
	case 8: return own_fault();
	case 9: return line_print();
	case 10: return executive_map(w1, w2, w3);
	default: return executive_revoke(w1, w2);
	}
	/* clang-format on */
}

struct executive_answer probe_call(unsigned int id, word number, word w1, word w2, word w3)
{
	if (number - own_first == 6)
		return wait_for(w1, w2);
	return executive_served(call_result(id, number, w1, w2, w3));
}
