// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/measure.h>

#include <sync/condition.h>
#include <sync/flags.h>
#include <sync/queue.h>
#include <sync/rwlock.h>

#include <import/other.h>
#include <import/sched.h>

static uint64_t blocked[MEASURE_MAX + MEASURE_WARM_UP]; /* time of this thread's turns */
static struct mutex mutex, recursive = { .recursive = true };
static struct condition condition;
static struct semaphore semaphore = { .value = 1 };
static struct rwlock rwlock;
static struct flags flags;
static struct queue queue;
static char memory[QUEUE_BYTES(4, sizeof(uint64_t))];

static void measure_locks(void)
{
	uint64_t word = 0;

	MEASURE(mutex_lock(&mutex, LIMPET_NEVER); mutex_unlock(&mutex));
	measure_report("sched", "lock", "limpet");
	mutex_lock(&recursive, LIMPET_NEVER);
	MEASURE(mutex_lock(&recursive, LIMPET_NEVER); mutex_unlock(&recursive));
	measure_report("sched", "lock", "limpet.again");
	MEASURE(semaphore_down(&semaphore, LIMPET_NEVER); semaphore_up(&semaphore));
	measure_report("sched", "lock", "limpet.semaphore");
	MEASURE(rwlock_read(&rwlock, LIMPET_NEVER); rwlock_read_end(&rwlock));
	measure_report("sched", "lock", "limpet.read");
	MEASURE(rwlock_write(&rwlock, LIMPET_NEVER); rwlock_write_end(&rwlock));
	measure_report("sched", "lock", "limpet.write");
	MEASURE(flags_set(&flags, 1);
		flags_wait(&flags, 1, FLAGS_ANY | FLAGS_CLEAR, &word, LIMPET_NEVER));
	measure_report("sched", "lock", "limpet.flags");
	MEASURE(queue_send(&queue, &word, 0, LIMPET_NEVER);
		queue_receive(&queue, &word, LIMPET_NEVER));
	measure_report("sched", "lock", "limpet.queue");
	mutex_lock(&mutex, LIMPET_NEVER);
	MEASURE(condition_signal(&condition, &mutex));
	measure_report("sched", "lock", "limpet.signal");
}

/*
 * The other thread is ready and has the same priority. It continues when this one blocks, and not
 * earlier.
 */
static long measure_block(const struct limpet_info *info)
{
	word other = (word)other_begin(info->thread), time;

	for (uint64_t i = 0; i < measure_rounds + MEASURE_WARM_UP; i++) {
		sched_wake(other);
		blocked[i] = limpet_time();
		sched_block();
	}
	for (uint64_t i = 0; i < measure_rounds; i++) {
		long status = other_stamp(i + MEASURE_WARM_UP, &time);

		if (status)
			return status;
		time -= blocked[i + MEASURE_WARM_UP];
		measure_values[i] = (uint32_t)(time > measure_empty ? time - measure_empty : 0);
	}
	measure_report("sched", "block-dispatch", "limpet");
	return other_end();
}

void component_main(const struct limpet_info *info)
{
	long status = queue_init(&queue, memory, sizeof(memory), sizeof(uint64_t));

	measure_begin(info);
	measure_locks();
	status = status ? status : measure_block(info);
	if (status)
		limpet_print("wrong: %s\n", limpet_error_text(status));
	limpet_print("done\n");
}
