// SPDX-License-Identifier: BSD-2-Clause
#include <sync/flags.h>

struct want {
	uint64_t wanted, *got;
	unsigned int how;
};

static bool try_flags(void *object, const void *want, word *owner)
{
	struct flags *flags = object;
	const struct want *wanted = want;
	uint64_t set = __atomic_load_n(&flags->set, __ATOMIC_SEQ_CST), found;

	(void)owner;
	do {
		found = set & wanted->wanted;
		if (!found || (wanted->how & FLAGS_ALL && found != wanted->wanted))
			return false;
	} while (wanted->how & FLAGS_CLEAR &&
		 !__atomic_compare_exchange_n(&flags->set, &set, set & ~found, false,
					      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	*wanted->got = found;
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

long flags_set(struct flags *object, uint64_t flags)
{
	__atomic_fetch_or(&object->set, flags, __ATOMIC_SEQ_CST);
	return sync_wake_each(&object->waiters);
}
