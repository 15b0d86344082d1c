// SPDX-License-Identifier: BSD-2-Clause
#include <sync/flags.h>

struct want {
	uint64_t wanted, *got;
	unsigned int how;
};

static bool try_flags(void *object, const void *want, word *owner)
{
	struct flags *flags = object;
	const struct want *waiter = want;
	uint64_t set = __atomic_load_n(&flags->set, __ATOMIC_SEQ_CST), found;

	(void)owner;
	do {
		found = set & waiter->wanted;
		if (!found || (waiter->how & FLAGS_ALL && found != waiter->wanted))
			return false;
	} while (waiter->how & FLAGS_CLEAR &&
		 !__atomic_compare_exchange_n(&flags->set, &set, set & ~found, false,
					      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	*waiter->got = found;
	return true;
}

long flags_wait(struct flags *flags, uint64_t wanted, unsigned int how, uint64_t *got,
		uint64_t deadline)
{
	const struct want want = { wanted, got, how };
	word owner;

	if (!wanted || how > (FLAGS_ALL | FLAGS_CLEAR))
		return LIMPET_ERANGE;
	if (try_flags(flags, &want, &owner))
		return LIMPET_OK;
	return sync_wait(&flags->waiters, try_flags, flags, &want, deadline);
}

long flags_set(struct flags *flags, uint64_t which)
{
	__atomic_fetch_or(&flags->set, which, __ATOMIC_SEQ_CST);
	return sync_wake_each(&flags->waiters);
}
