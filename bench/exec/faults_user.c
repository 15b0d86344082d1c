// SPDX-License-Identifier: GPL-2.0
/* A thread on the same CPU repairs faults through userfaultfd: with copies of pages, or with pages that exist. */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "faults.h"

static const struct faults *repairing;
static unsigned char *base, *source;
static int user;
static volatile unsigned long repaired;

unsigned long fault_count_user(void)
{
	return repaired;
}

static void stamp_pages(unsigned char *to, unsigned long page, unsigned long count)
{
	for (unsigned long i = 0; i < count; i++) {
		uint64_t stamp = fault_stamp(page + i);

		memcpy(to + i * FAULT_PAGE, &stamp, sizeof(stamp));
	}
}

static void repair_copy(unsigned long page)
{
	struct uffdio_copy copy = { .dst = (unsigned long)base + page * FAULT_PAGE,
				    .src = (unsigned long)source,
				    .len = repairing->batch * FAULT_PAGE };

	stamp_pages(source, page, repairing->batch);
	if (ioctl(user, UFFDIO_COPY, &copy) || copy.copy != (long)copy.len)
		figure_die("UFFDIO_COPY");
}

static void repair_continue(unsigned long page)
{
	struct uffdio_continue pages = { .range = { (unsigned long)base + page * FAULT_PAGE,
						    repairing->batch * FAULT_PAGE } };

	if (ioctl(user, UFFDIO_CONTINUE, &pages) || pages.mapped != (long)pages.range.len)
		figure_die("UFFDIO_CONTINUE");
}

/* Repairs faults until the process ends. */
static void *repair_all(void *repair)
{
	for (;;) {
		struct uffd_msg message;

		if (read(user, &message, sizeof(message)) != sizeof(message) ||
		    message.event != UFFD_EVENT_PAGEFAULT)
			figure_die("userfaultfd");
		repaired++; /* first, because the repair wakes the reader of this number */
		((void (*)(unsigned long))repair)(
			(message.arg.pagefault.address - (unsigned long)base) / FAULT_PAGE);
	}
	return NULL;
}

static void repair_start(unsigned long features, unsigned long mode, void (*repair)(unsigned long))
{
	struct uffdio_api api = { .api = UFFD_API, .features = features };
	struct uffdio_register range = { .range = { (unsigned long)base, FAULT_SIZE },
					 .mode = mode };
	pthread_t thread;

	user = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (user < 0 || ioctl(user, UFFDIO_API, &api) || ioctl(user, UFFDIO_REGISTER, &range))
		figure_die("userfaultfd");
	errno = pthread_create(&thread, NULL, repair_all, (void *)repair);
	if (errno)
		figure_die("pthread_create");
}

unsigned char *fault_map_copy(const struct faults *faults)
{
	repairing = faults;
	base = fault_range(MAP_PRIVATE);
	source = fault_range(MAP_PRIVATE);
	repair_start(0, UFFDIO_REGISTER_MODE_MISSING, repair_copy);
	return base;
}

unsigned char *fault_map_continue(const struct faults *faults)
{
	repairing = faults;
	base = fault_range(MAP_SHARED);
	stamp_pages(base, 0, FAULT_PAGES);
	fault_drop(base);
	repair_start(UFFD_FEATURE_MINOR_SHMEM, UFFDIO_REGISTER_MODE_MINOR, repair_continue);
	return base;
}
