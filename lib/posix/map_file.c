// SPDX-License-Identifier: BSD-2-Clause
/*
 * Mappings of files. A shared mapping is the file's own memory, because there is only one process. While it exists, the
 * file's memory does not move. The memory of a channel never moves, and does not become larger for a mapping. A private
 * mapping is a copy. POSIX.1-2017, mmap(), munmap(), msync().
 */
#include <runtime/memory.h>

#include <linux/fcntl.h>
#include <linux/mman.h>

#include "call.h"
#include "clock.h"
#include "file.h"
#include "map.h"
#include "posix.h"

#define MAPS 64
/* Results of node_map() that become lines in the log, after the lock is released. */
#define FIXED_REFUSED 1
#define SHARED_REFUSED 2

struct mapping {
	uint64_t address, size; /* bytes, whole pages; size 0: not in use */
	struct node *node;
};

static struct mapping mappings[MAPS]; /* file_lock() protects them */

static uint64_t whole_pages(uint64_t size)
{
	return (size + LIMPET_PAGE - 1) & ~(LIMPET_PAGE - 1ul);
}

static struct mapping *mapping_unused(void)
{
	for (unsigned int i = 0; i < MAPS; i++)
		if (!mappings[i].size)
			return &mappings[i];
	return NULL;
}

/* The memory of a channel has no pages beyond its end. */
static long map_shared(struct node *node, uint64_t size, uint64_t offset)
{
	struct mapping *mapping = mapping_unused();
	long status;

	status = mapping ? node_reserve(node, offset + size) : -ENOMEM;
	if (!status && !node->shared && offset + size > whole_pages(node->size))
		status = pages_limit(node->data, offset + size, node->size, PROT_READ | PROT_WRITE);
	if (status)
		return -ENOMEM;
	*mapping = (struct mapping){ (uint64_t)node->data + offset, size, node };
	node->maps++;
	node->uses++;
	return (long)mapping->address;
}

/* Ignores PROT_EXEC, because memory cannot become executable. */
static long map_private(const struct node *node, uint8_t *to, uint64_t size, word protection,
			uint64_t offset)
{
	const uint64_t inside = offset < node->size ? node->size - offset : 0;

	if (!to)
		return -ENOMEM;
	if (inside)
		memcpy(to, node->data + offset, size < inside ? size : inside);
	if (pages_limit(to, size, inside, protection & ~(word)PROT_EXEC)) {
		pages_put(to, size);
		return -ENOMEM;
	}
	return (long)to;
}

/* Requires file_lock(). Returns an address, an error, FIXED_REFUSED or SHARED_REFUSED. */
static long node_map(word address, const struct file *file, uint64_t size, word protection,
		     word flags, uint64_t offset)
{
	const word mode = file->flags & O_ACCMODE, type = flags & MAP_TYPE;
	struct node *node = file->node;
	uint8_t *to;

	if (mode == O_WRONLY || (type == MAP_SHARED && protection & PROT_WRITE && mode != O_RDWR))
		return -EACCES;
	if (file->kind != FILE_NODE || node->kind != NODE_FILE)
		return -ENODEV;
	if (type == MAP_SHARED && node->shared && offset + size > node->size)
		return -ENXIO;
	node->accessed = clock_real_ns();
	if (type == MAP_SHARED && node->writable)
		return flags & MAP_FIXED ? SHARED_REFUSED : map_shared(node, size, offset);
	if (!(flags & MAP_FIXED))
		return map_private(node, pages_get(size), size, protection, offset);
	to = pages_claim(address, size);
	return to ? map_private(node, to, size, protection, offset) : FIXED_REFUSED;
}

bool file_is_zero(word descriptor)
{
	struct file *file = file_get(descriptor);
	bool is_zero;

	if (!file)
		return false;
	is_zero = file->kind == FILE_NODE && file->node->kind == NODE_ZERO &&
		  (file->flags & O_ACCMODE) != O_WRONLY;
	file_put(file);
	return is_zero;
}

long file_map(word address, word descriptor, word size, word protection, word flags, word offset)
{
	struct file *file = file_get(descriptor);
	const word type = flags & MAP_TYPE;
	long status = -EINVAL;

	if (!file)
		return -EBADF;
	file_lock();
	if (offset > INT64_MAX / 4 || size > INT64_MAX / 4)
		status = (long)offset < 0 || offset + size < offset ? -EOVERFLOW : -ENOMEM;
	else if (type == MAP_SHARED || type == MAP_PRIVATE)
		status = node_map(address, file, whole_pages(size), protection, flags, offset);
	file_drop(file);
	file_unlock();
	if (status == FIXED_REFUSED)
		return CALL_REFUSE(EINVAL, FIXED_ELSEWHERE);
	if (status == SHARED_REFUSED)
		return CALL_REFUSE(EINVAL, "MAP_FIXED does not share a file that can be written");
	return status;
}

static bool overlap(const struct mapping *mapping, uint64_t address, uint64_t size)
{
	return mapping->size && address < mapping->address + mapping->size &&
	       mapping->address < address + size;
}

/*
 * Returns the mapping of exactly this range, otherwise the lowest one that overlaps with it, or NULL. Several mappings
 * can share memory.
 */
static struct mapping *mapping_find(uint64_t address, uint64_t size)
{
	struct mapping *found = NULL;

	for (unsigned int i = 0; i < MAPS; i++) {
		if (mappings[i].address == address && mappings[i].size == size)
			return &mappings[i];
		if (overlap(&mappings[i], address, size) &&
		    (!found || mappings[i].address < found->address))
			found = &mappings[i];
	}
	return found;
}

/* Makes a mapping of a part of another one, if the part is not empty. Returns false if no record is left. */
static bool mapping_add(uint64_t from, uint64_t to, struct node *node)
{
	struct mapping *mapping = from < to ? mapping_unused() : NULL;

	if (!mapping)
		return from >= to;
	*mapping = (struct mapping){ from, to - from, node };
	node->maps++;
	node->uses++;
	return true;
}

/* Removes a range from a mapping. Returns 0, or -ENOMEM if no record is left for the part after it. */
static long mapping_cut(struct mapping *mapping, uint64_t from, uint64_t to)
{
	const uint64_t end = mapping->address + mapping->size;

	if (from <= mapping->address && to < end) {
		mapping->size = end - to;
		mapping->address = to;
		return 0;
	}
	if (!mapping_add(to, end, mapping->node))
		return -ENOMEM;
	mapping->size = from > mapping->address ? from - mapping->address : 0;
	if (mapping->size)
		return 0;
	mapping->node->maps--;
	node_put(mapping->node);
	return 0;
}

/* Removes each address from at most one mapping, because several mappings can share memory. */
long file_unmap(word address, word size)
{
	const uint64_t end = address + whole_pages(size);
	struct mapping *mapping;
	long status = -ENOENT;

	file_lock();
	while (address < end && (mapping = mapping_find(address, end - address))) {
		const uint64_t next = mapping->address + mapping->size;

		status = mapping_cut(mapping, address, end);
		if (status)
			break;
		address = next;
	}
	file_unlock();
	return status;
}

bool file_mapped(word address, word size)
{
	struct mapping *mapping;

	file_lock();
	mapping = mapping_find(address, whole_pages(size));
	file_unlock();
	return mapping;
}

bool file_holds(word address, word size)
{
	bool holds = false;

	file_lock();
	for (uint32_t i = 0; i < nodes_count && !holds; i++) {
		const struct node *node = &nodes[i];
		const uint64_t data = (uint64_t)node->data;

		holds = node->kind == NODE_FILE && node->capacity &&
			data < address + whole_pages(size) && address < data + node->capacity;
	}
	file_unlock();
	return holds;
}

/* Sets the file's time of change. The memory of the file already has the written data. */
static bool file_synchronise(word address, word size)
{
	struct mapping *mapping;

	file_lock();
	mapping = mapping_find(address, whole_pages(size));
	if (mapping)
		mapping->node->changed = clock_real_ns();
	file_unlock();
	return mapping;
}

long call_msync(word address, word size, word flags)
{
	if (address % LIMPET_PAGE || flags & ~(word)(MS_ASYNC | MS_SYNC | MS_INVALIDATE) ||
	    (flags & MS_ASYNC && flags & MS_SYNC))
		return -EINVAL;
	if (flags & MS_INVALIDATE && memory_locked())
		return -EBUSY;
	return file_synchronise(address, size) || memory_has(address, size) ? 0 : -ENOMEM;
}
