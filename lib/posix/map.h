/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that the mappings of files and of other memory share. All functions take the locks that they need. */
#ifndef POSIX_MAP_H
#define POSIX_MAP_H

#include <runtime/types.h>

/* map_file.c: maps a file that is open as `descriptor`. Returns the address, or a negative error. */
long file_map(word descriptor, word size, word protection, word flags, word offset);
/* Returns whether a descriptor is /dev/zero, open for reading. Its mappings are anonymous memory. */
bool file_is_zero(word descriptor);
/* Ends the mapping of a file, or a part of it. Returns false if there is none. */
bool file_unmap(word address, word size);
/* Returns whether a part of a range is a mapping of a file. */
bool file_mapped(word address, word size);

/* memory.c: returns whether mmap() or brk() allocated a range, or whether it can be memory of the program's image. */
bool memory_has(word address, word size);
/* Returns whether mmap() allocated the memory at an address, independent of its protection. */
bool memory_given(word address);
/* Returns whether mlockall() is in effect. */
bool memory_locked(void);

#endif
