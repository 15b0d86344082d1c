/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages of mappings of files that are beyond the end of their file. The program cannot access them, and an access is
 * SIGBUS in place of SIGSEGV. POSIX.1-2017, mmap(). memory.c calls the functions with its lock, unless the comment says
 * otherwise.
 */
#ifndef POSIX_MAP_END_H
#define POSIX_MAP_END_H

#include <runtime/types.h>

/* Adds a range of whole pages. Returns false if there are too many ranges. */
bool end_add(uint64_t address, uint64_t size);
/* Removes a range of whole pages, of which any part can have been added. */
void end_remove(uint64_t address, uint64_t size);
/* Returns whether a part of a range was added. */
bool end_overlaps(uint64_t address, uint64_t size);
/*
 * Returns whether the page of an address was added. Needs no lock, because the program must not change a mapping while
 * it accesses it.
 */
bool end_has(uint64_t address);

#endif
