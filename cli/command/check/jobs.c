// SPDX-License-Identifier: GPL-2.0
/* Computes times of jobs from the accounts. */
#include <cli/command/check/check.h>

uint64_t check_ns(const struct check *check, uint64_t ticks)
{
	const uint64_t per_ms = check->snapshot.info.ticks_per_ms;

	return per_ms ? (uint64_t)((unsigned __int128)ticks * 1000000 / per_ms) : 0;
}

double check_us(const struct check *check, uint64_t ticks)
{
	return (double)check_ns(check, ticks) / 1000;
}

/*
 * A thread that waits for its first release has no job yet. A thread whose jobs end between two looks is not stuck:
 * under throttling, the check runs only while Linux has the CPU, and the last release is long ago at each look.
 */
bool check_stuck(const struct check *check, const struct check_thread *thread)
{
	const struct limpet_jobs *now = &thread->now;
	const uint64_t end = check->after[thread->cpu].ticks;

	if (!now->count)
		return check_ns(check, thread->period) * CHECK_STUCK < check->seconds * 1e9;
	if (thread->seen && now->count > thread->seen)
		return false;
	return end > now->release && (end - now->release) / thread->period > CHECK_STUCK;
}

uint64_t check_quantile(const struct limpet_job_times *before, const struct limpet_job_times *now,
			unsigned int permille)
{
	uint64_t all = 0, sum = 0;

	for (unsigned int n = 0; n < LIMPET_JOB_BUCKETS; n++)
		all += now->bucket[n] - before->bucket[n];
	for (unsigned int n = 0; n < LIMPET_JOB_BUCKETS; n++) {
		sum += now->bucket[n] - before->bucket[n];
		if (all && sum * 1000 >= all * permille)
			return n + 1 < LIMPET_JOB_BUCKETS && limpet_job_floor(n + 1) < now->max
				       ? limpet_job_floor(n + 1)
				       : now->max;
	}
	return 0;
}

const struct limpet_job_times *check_worst(const struct check *check,
					   const struct check_thread *thread)
{
	return check->late_ns && check_ns(check, thread->now.late.max) > check->late_ns
		       ? &thread->now.late
		       : &thread->now.response;
}
