// SPDX-License-Identifier: GPL-2.0
/*
 * Measures the first touch of pages under one of Linux's mechanisms for repairing page faults. The page tables exist
 * already. The two readings of the clock are included. With a batch a sample is the time for each page.
 *
 *   page_faults CASE SUBJECT
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults.h"

static unsigned long count_minor(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		figure_die("getrusage");
	return (unsigned long)usage.ru_minflt;
}

static unsigned char *map_private(const struct faults *faults)
{
	(void)faults;
	return fault_range(MAP_PRIVATE);
}

/*
 * Returns the data pages of a performance counter's buffer. Its driver only returns an existing page on a fault, as a
 * module would that shares memory. Linux then inserts the page.
 */
static unsigned char *map_driver(const struct faults *faults)
{
	struct perf_event_attr attributes = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(attributes),
					      .config = PERF_COUNT_SW_DUMMY };
	long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
	unsigned char *buffer;

	(void)faults;
	if (fd < 0)
		figure_die("perf_event_open");
	buffer = mmap(NULL, FAULT_PAGE + FAULT_SIZE, PROT_READ, MAP_SHARED, (int)fd, 0);
	if (buffer == MAP_FAILED)
		figure_die("mmap of a performance counter");
	return buffer + FAULT_PAGE;
}

static const struct faults all[] = {
	{ "fault", "linux", 1, map_private, fault_drop, count_minor, NULL },
	{ "fault", "linux-insert", 1, map_driver, fault_drop, count_minor, NULL },
	{ "fault", "sigsegv", 1, fault_map_signal, fault_drop_signal, fault_count_signal,
	  fault_stamp },
	{ "fault", "userfaultfd", 1, fault_map_copy, fault_drop, fault_count_user, fault_stamp },
	{ "fault", "userfaultfd-continue", 1, fault_map_continue, fault_drop, fault_count_user,
	  fault_stamp },
	{ "fault", "limpet", 1, fault_map_guest, fault_drop_guest, fault_count_guest,
	  fault_content_guest },
	{ "fault-batch", "limpet", 16, fault_map_guest, fault_drop_guest, fault_count_guest,
	  fault_content_guest },
	{ "fault-batch", "userfaultfd", 16, fault_map_copy, fault_drop, fault_count_user,
	  fault_stamp },
};

static void wrong(const char *what, unsigned long value)
{
	fprintf(stderr, "page_faults: %s: %lu\n", what, value);
	exit(1);
}

/* Touches all pages in order. A write to private memory makes Linux allocate a page; the others are read. */
static void touch_all(const struct faults *faults, volatile unsigned char *range, uint64_t *samples)
{
	int write = faults->map == map_private;

	for (unsigned long page = 0; page < FAULT_PAGES; page += faults->batch) {
		uint64_t start = figure_time();

		for (unsigned long i = page; i < page + faults->batch; i++)
			if (write)
				range[i * FAULT_PAGE] = 0;
			else
				(void)range[i * FAULT_PAGE];
		samples[page / faults->batch] = (figure_time() - start) / faults->batch;
	}
}

static void check(const struct faults *faults, const unsigned char *range, unsigned long count)
{
	if (count != FAULT_PAGES / faults->batch)
		wrong("the number of faults", count);
	for (unsigned long page = 0; page < FAULT_PAGES; page++) {
		uint64_t word;

		memcpy(&word, range + page * FAULT_PAGE, sizeof(word));
		if (word != (faults->content ? faults->content(page) : 0))
			wrong("a wrong content of page", page);
	}
}

static void measure(const struct faults *faults)
{
	struct figure figure = { "exec", faults->name, faults->subject };
	uint64_t *samples = figure_samples(FAULT_PAGES);
	unsigned char *range = faults->map(faults);
	unsigned long before;

	touch_all(faults, range, samples);
	faults->drop(range);
	before = faults->count();
	touch_all(faults, range, samples);
	check(faults, range, faults->count() - before);
	figure_print(&figure, samples, FAULT_PAGES / faults->batch);
}

int main(int argc, char **argv)
{
	figure_pin(0);
	for (size_t i = 0; argc == 3 && i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(argv[1], all[i].name) && !strcmp(argv[2], all[i].subject)) {
			measure(&all[i]);
			return 0;
		}
	figure_usage("page_faults CASE SUBJECT, such as fault linux");
}
