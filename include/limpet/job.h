/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The account of a periodic thread's jobs, as LIMPET_IOC_STAT gives it. A job begins at its release and ends when the
 * thread waits for its next period. Times are in ticks. The kernel of the thread's CPU writes the account while others
 * read it, so two of its fields can be of different moments.
 */
#ifndef LIMPET_JOB_H
#define LIMPET_JOB_H

#include <stdint.h>

#define LIMPET_JOB_BUCKETS 48
#define LIMPET_JOB_SHIFT 8 /* log2 of the first value that is not in bucket 0 */

/* One time of each job. */
struct limpet_job_times {
	uint64_t max;	  /* the longest one, of the jobs since the maxima were last cleared */
	uint64_t sum;	  /* of the times of all jobs */
	uint64_t longest; /* release of the job that took it */
	uint32_t bucket[LIMPET_JOB_BUCKETS]; /* how many jobs took a time of this bucket */
};

struct limpet_jobs {
	uint64_t period; /* 0: the thread is not periodic */
	uint64_t release; /* of its last job that has ended. Other releases are multiples of the period away. */
	uint64_t count;	 /* jobs that have ended */
	uint64_t missed; /* of them, those that ended after the next release */
	uint64_t held; /* times that its scheduler held it because its budget or slot was used up */
	struct limpet_job_times late;	  /* from the release to the thread's first instruction */
	struct limpet_job_times response; /* from the release to the job's end */
	struct limpet_job_times
		run; /* that the thread ran, in whatever component, with its scheduler's part */
	uint32_t clear; /* set by a reader: the end of the job under way clears the maxima, its own included */
};

/* The bucket of a time: below 256 ticks the first one, then two for each doubling, and the last one for all longer. */
static inline unsigned int limpet_job_bucket(uint64_t ticks)
{
	unsigned int log, bucket;

	if (ticks < 1u << LIMPET_JOB_SHIFT)
		return 0;
	log = 63 - (unsigned int)__builtin_clzl(ticks);
	bucket = 2 * (log - LIMPET_JOB_SHIFT) + (ticks >> (log - 1) & 1) + 1;
	return bucket < LIMPET_JOB_BUCKETS ? bucket : LIMPET_JOB_BUCKETS - 1;
}

/* The smallest time in a bucket. */
static inline uint64_t limpet_job_floor(unsigned int bucket)
{
	return bucket ? (uint64_t)(2 + (bucket - 1) % 2)
				<< ((bucket - 1) / 2 + LIMPET_JOB_SHIFT - 1)
		      : 0;
}

#endif
