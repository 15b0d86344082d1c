/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the mappings of files and of other memory share. All functions take the locks that they need. */
#ifndef POSIX_MAP_H
#define POSIX_MAP_H

#include <runtime/types.h>

/*
 * map_file.c: maps a file that is open as `descriptor`, at `address` if `flags` has MAP_FIXED. Returns the address, or a
 * negative error.
 */
long file_map(word address, word descriptor, word size, word protection, word flags, word offset);
/* Returns whether a descriptor is /dev/zero, open for reading. Its mappings are anonymous memory. */
bool file_is_zero(word descriptor);
/*
 * Ends the mappings of files in a range, which can be a part of a mapping. Returns 0, -ENOENT if there is none, or
 * -ENOMEM if no record is left for the upper one of two remaining parts.
 */
long file_unmap(word address, word size);
/* Returns whether a part of a range is a mapping of a file. */
bool file_mapped(word address, word size);
/* Returns whether a part of a range is the memory of a file that can be written, with or without a mapping. */
bool file_holds(word address, word size);

#define FIXED_ELSEWHERE "MAP_FIXED needs memory that the program has"

/*
 * memory.c: makes a range that mmap() has returned, or a part of it, new memory as that of pages_get(). Returns its
 * address, or NULL if the range is other memory, or the memory manager refuses it.
 */
void *pages_claim(uint64_t address, size_t size);
/*
 * Sets the protection of the first `inside` bytes of a mapping, and makes the pages after them inaccessible, because
 * they are beyond the end of the file. Returns 0 or -ENOMEM.
 */
long pages_limit(const void *memory, size_t size, size_t inside, word protection);
/* Makes a range readable and writable that pages_limit() has made inaccessible, or does nothing. */
void pages_show(const void *memory, size_t size);
/* Returns whether mmap() or brk() allocated a range, or whether it can be memory of the program's image. */
bool memory_has(word address, word size);
/* Returns whether mmap() allocated the memory at an address, independent of its protection. */
bool memory_given(word address);
/* Returns whether mlockall() is in effect. */
bool memory_locked(void);

#endif
