/* SPDX-License-Identifier: GPL-2.0 */
/* Measured page faults, and Linux's mechanisms that repair them. */
#ifndef BENCH_EXEC_FAULTS_H
#define BENCH_EXEC_FAULTS_H

#include <stdint.h>

#include "../figure.h"

#define FAULT_PAGE 4096ul
#define FAULT_PAGES 1024ul
#define FAULT_SIZE (FAULT_PAGES * FAULT_PAGE)

/* A range whose pages are touched in order, `batch` for each fault. */
struct faults {
	const char *name, *subject;
	unsigned long batch;
	/* Maps the range and prepares its repair. */
	unsigned char *(*map)(const struct faults *faults);
	/* Removes the pages, so that the next touch of each faults. */
	void (*drop)(unsigned char *range);
	/* Returns the number of faults so far. */
	unsigned long (*count)(void);
	/* Returns the first word of a page; NULL: it is 0. */
	uint64_t (*content)(unsigned long page);
};

/* Returns the first word of a page that a mechanism of this program has filled. */
static inline uint64_t fault_stamp(unsigned long page)
{
	return 0x5a5a000000000000ul + page;
}

/* --- faults.c */

/* Maps FAULT_SIZE bytes in small pages, private or shared. Exits with a message on errors. */
unsigned char *fault_range(int sharing);
/* Removes pages with MADV_DONTNEED. The page tables stay. */
void fault_drop(unsigned char *range);

/* --- faults_signal.c */

unsigned char *fault_map_signal(const struct faults *faults);
void fault_drop_signal(unsigned char *range);
unsigned long fault_count_signal(void);

/* --- faults_guest.c */

/* For a guest of component exec.probe, which supplies the pages. */
unsigned char *fault_map_guest(const struct faults *faults);
void fault_drop_guest(unsigned char *range);
unsigned long fault_count_guest(void);
uint64_t fault_content_guest(unsigned long page);

/* --- faults_user.c */

unsigned char *fault_map_copy(const struct faults *faults);
unsigned char *fault_map_continue(const struct faults *faults);
unsigned long fault_count_user(void);

#endif
