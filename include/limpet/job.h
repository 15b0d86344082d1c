/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of a periodic thread's jobs, which LIMPET_IOC_STAT returns. A job begins at its release and ends when the
 * thread waits for its next period. Times are in ticks. The kernel of the thread's CPU updates the statistics while
 * others read them, so two fields can be of different moments.
 */
#ifndef LIMPET_JOB_H
#define LIMPET_JOB_H

#include <stdint.h>

#define LIMPET_JOB_BUCKETS 48
#define LIMPET_JOB_SHIFT 8 /* log2 of the first value that is not in bucket 0 */

/* Distribution of one time of the jobs. */
struct limpet_job_times {
	uint64_t max;			     /* longest time since the maxima were cleared */
	uint64_t sum;			     /* sum of all times */
	uint64_t longest;		     /* release of the job with the longest time */
	uint32_t bucket[LIMPET_JOB_BUCKETS]; /* number of jobs with a time of this bucket */
};

struct limpet_jobs {
	uint64_t period;  /* 0: the thread is not periodic */
	uint64_t release; /* of the last job that ended; others are multiples of the period away */
	uint64_t count;	  /* jobs that ended */
	uint64_t missed;  /* jobs that ended after the next release */
	uint64_t held; /* number of times that its scheduler held it, because its budget or slot was used up */
	struct limpet_job_times late;	  /* from the release to the thread's first instruction */
	struct limpet_job_times response; /* from the release to the job's end */
	struct limpet_job_times
		run; /* run time of the thread in all components, its scheduler included */
	uint32_t clear; /* 1: the end of the current job will clear the maxima, because a reader has requested it */
};

/*
 * Returns the bucket of a time. Bucket 0 has the times below 256 ticks. Each doubling has two buckets. The last bucket
 * has all longer times.
 */
static inline unsigned int limpet_job_bucket(uint64_t ticks)
{
	unsigned int log, bucket;

	if (ticks < 1u << LIMPET_JOB_SHIFT)
		return 0;
	log = 63 - (unsigned int)__builtin_clzl(ticks);
	bucket = 2 * (log - LIMPET_JOB_SHIFT) + (ticks >> (log - 1) & 1) + 1;
	return bucket < LIMPET_JOB_BUCKETS ? bucket : LIMPET_JOB_BUCKETS - 1;
}

/* Returns the shortest time of a bucket. */
static inline uint64_t limpet_job_floor(unsigned int bucket)
{
	return bucket ? (uint64_t)(2 + (bucket - 1) % 2)
				<< ((bucket - 1) / 2 + LIMPET_JOB_SHIFT - 1)
		      : 0;
}

#endif
