// SPDX-License-Identifier: GPL-2.0
/*
 * Tests that the search for a component's own thread does not read the records of other threads, in a snapshot of 64
 * CPUs with 1,000 threads each. The records are in memory that the test makes inaccessible, so that a read is a fault.
 */
#include "test.h"

#include <sys/mman.h>

#include <cli/common/snapshot.h>

#define CPUS 64
#define EACH 1000 /* threads of a CPU */
#define OWN 15	  /* components with a thread on each CPU, below their spare threads */
#define COUNT (CPUS * OWN + 1)

static struct {
	struct limpet_image header;
	struct limpet_image_component component[COUNT];
} bytes;
static struct snapshot snapshot;

/* Component n * OWN + i + 1 is on CPU n, and thread i of this CPU is its own. Component 0 is the booter. */
static void snapshot_make(void)
{
	struct limpet_stat_thread *thread = mmap(NULL, CPUS * EACH * sizeof(*thread),
						 PROT_READ | PROT_WRITE,
						 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(thread != MAP_FAILED);
	bytes.header.components = COUNT;
	bytes.header.components_at = sizeof(bytes.header);
	snapshot.image = (struct image){ (unsigned char *)&bytes, sizeof(bytes) };
	snapshot.stat.threads = CPUS * EACH;
	snapshot.stat.thread = thread;
	for (unsigned int i = 1; i < COUNT; i++) {
		bytes.component[i].cpu = (i - 1) / OWN;
		bytes.component[i].priority = i;
	}
	for (unsigned int i = 0; i < CPUS * EACH; i++)
		thread[i] = (struct limpet_stat_thread){
			.cpu = i / EACH,
			.id = i % EACH,
			.home = 1 + i / EACH * OWN + i % EACH % OWN,
		};
	snapshot_index(&snapshot);
}

static void threads_protect(int protection)
{
	assert_int_equal(mprotect(snapshot.stat.thread,
				  snapshot.stat.threads * sizeof(*snapshot.stat.thread),
				  protection),
			 0);
}

static void own_threads_are_found_without_a_search(void **state)
{
	(void)state;
	threads_protect(PROT_NONE);
	for (unsigned int i = 1; i < COUNT; i++) {
		const unsigned int cpu = (i - 1) / OWN;

		assert_ptr_equal(snapshot_own_thread(&snapshot, cpu, i),
				 &snapshot.stat.thread[cpu * EACH + (i - 1) % OWN]);
		assert_null(snapshot_own_thread(&snapshot, cpu + 1, i));
	}
	assert_null(snapshot_own_thread(&snapshot, 0, 0));
	assert_null(snapshot_own_thread(&snapshot, 0, COUNT));
	threads_protect(PROT_READ | PROT_WRITE);
}

/* Only the page of the asked thread, and that of its component's own thread, can be read. */
static void a_priority_reads_two_threads(void **state)
{
	const struct limpet_stat_thread *last = &snapshot.stat.thread[CPUS * EACH - 1], *own;
	const uintptr_t page = 4096;

	(void)state;
	own = snapshot_own_thread(&snapshot, last->cpu, last->home);
	assert_non_null(own);
	threads_protect(PROT_NONE);
	mprotect((void *)((uintptr_t)last & ~(page - 1)), page, PROT_READ);
	mprotect((void *)((uintptr_t)own & ~(page - 1)), 2 * page, PROT_READ);
	assert_int_equal(snapshot_priority(&snapshot, last), 0);
	assert_int_equal(snapshot_priority(&snapshot, own), bytes.component[last->home].priority);
	threads_protect(PROT_READ | PROT_WRITE);
}

static void a_change_is_indexed_again(void **state)
{
	(void)state;
	assert_false(snapshot_failed(&snapshot, 0, 1));
	snapshot.stat.thread[0].home = 0;
	snapshot_index(&snapshot);
	assert_ptr_equal(snapshot_own_thread(&snapshot, 0, 1), &snapshot.stat.thread[OWN]);
	snapshot.stat.threads = 0;
	assert_null(snapshot_own_thread(&snapshot, 0, 1));
	snapshot_index(&snapshot);
	assert_null(snapshot_own_thread(&snapshot, 0, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_threads_are_found_without_a_search),
		cmocka_unit_test(a_priority_reads_two_threads),
		cmocka_unit_test(a_change_is_indexed_again),
	};

	snapshot_make();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
