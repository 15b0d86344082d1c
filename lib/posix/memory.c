// SPDX-License-Identifier: BSD-2-Clause
/*
 * Memory for mmap(). It comes from the memory manager in chunks, from which runs of pages are allocated,
 * so most calls need no invocation. Allocated memory is zero. The component's heap is for brk().
 */
#include <runtime/memory.h>
#include <runtime/window.h>
#include <sync/lock.h>

#include <import/mem.h>

#include <linux/mman.h>

#include "call.h"
#include "map.h"
#include "map_end.h"
#include "posix.h"

#define CHUNK 256 /* pages; maximum of one allocation of the memory manager */
#define CHUNKS 256
#define PIECE_MAX 4096 /* max. pages of one reservation */
#define LARGE_MAX (LIMPET_WINDOW_BYTES / LIMPET_PAGE)
#define PIECES_MAX (2 * LARGE_MAX / PIECE_MAX) /* a piece has more than half of PIECE_MAX */
#define TABLE_ENTRIES 512
#define TABLE_LEVELS 3
#define WORD_BITS 64
#define PAGE_BITS (8 * LIMPET_PAGE) /* bits in a page */
#define UNMAPPED (~0ul)		    /* used in place of rights */

struct bits {
	uint64_t word[CHUNK / WORD_BITS];
};

/*
 * Memory of adjacent allocations of the memory manager. `pages` is 0 if the chunk is not in use. A large chunk, of more
 * than CHUNK pages, belongs to one mapping. Any other chunk has one allocation.
 */
struct chunk {
	uint64_t address;
	uint64_t pages;
	uint64_t piece; /* pages of an allocation */
	uint64_t live;	/* number of allocated pages */
	bool limited;	/* large chunk: some pages may be not readable and writable */
	/* The following are not used in a large chunk. Its bitmap of allocated pages is in the pages after its end. */
	struct bits given; /* allocated pages */
	struct bits dirty; /* pages that were used since they were zeroed */
	struct bits bound; /* pages that are not readable and writable */
};

static struct lock lock;
static struct chunk chunks[CHUNKS];
static unsigned int chunks_end; /* chunks from here on were never used */
static uint64_t brk_end;
static bool all_locked; /* mlockall() */

static uint64_t pages_of(uint64_t size)
{
	return size / LIMPET_PAGE + (size % LIMPET_PAGE != 0);
}

static bool bit(const uint64_t *bits, uint64_t n)
{
	return bits[n / WORD_BITS] >> n % WORD_BITS & 1;
}

static void bits_set(uint64_t *bits, uint64_t first, uint64_t count, bool value)
{
	for (uint64_t n = first; n < first + count; n++)
		if (value)
			bits[n / WORD_BITS] |= 1ul << n % WORD_BITS;
		else
			bits[n / WORD_BITS] &= ~(1ul << n % WORD_BITS);
}

static uint64_t bits_count(const uint64_t *bits, uint64_t first, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t n = first; n < first + count; n++)
		sum += bit(bits, n);
	return sum;
}

static bool large(const struct chunk *chunk)
{
	return chunk->pages > CHUNK;
}

/* Returns the bitmap of the allocated pages of a chunk. */
static uint64_t *given(struct chunk *chunk)
{
	return large(chunk) ? (uint64_t *)(chunk->address + chunk->pages * LIMPET_PAGE)
			    : chunk->given.word;
}

/* Returns the chunk that has `pages` pages at an address, or NULL. */
static struct chunk *chunk_of(uint64_t address, uint64_t pages)
{
	for (unsigned int i = 0; i < chunks_end; i++) {
		struct chunk *chunk = &chunks[i];
		uint64_t page = (address - chunk->address) / LIMPET_PAGE;

		if (address >= chunk->address && page < chunk->pages &&
		    pages <= chunk->pages - page)
			return chunk;
	}
	return NULL;
}

/* Returns the first page of a free run, or CHUNK. */
static uint64_t run_find(const struct chunk *chunk, uint64_t pages)
{
	uint64_t run = 0;

	for (uint64_t n = 0; n < chunk->pages; n++) {
		run = bit(chunk->given.word, n) ? 0 : run + 1;
		if (run == pages)
			return n + 1 - pages;
	}
	return CHUNK;
}

static void *run_take(struct chunk *chunk, uint64_t first, uint64_t pages)
{
	uint8_t *address = (uint8_t *)chunk->address + first * LIMPET_PAGE;

	for (uint64_t n = first; n < first + pages; n++)
		if (bit(chunk->dirty.word, n))
			memset((uint8_t *)chunk->address + n * LIMPET_PAGE, 0, LIMPET_PAGE);
	bits_set(chunk->given.word, first, pages, true);
	bits_set(chunk->dirty.word, first, pages, true);
	chunk->live += pages;
	return address;
}

static struct chunk *chunk_free(void)
{
	for (unsigned int i = 0; i < CHUNKS; i++)
		if (!chunks[i].pages) {
			chunks_end = chunks_end > i ? chunks_end : i + 1;
			return &chunks[i];
		}
	return NULL;
}

/* Returns a chunk of at least `pages` pages. It has fewer than CHUNK pages if not enough memory is left. */
static struct chunk *chunk_new(uint64_t pages)
{
	struct chunk *chunk = chunk_free();
	word address;

	if (!chunk)
		return NULL;
	for (uint64_t size = CHUNK;; size = size / 2 > pages ? size / 2 : pages) {
		if (mem_allocate(size, &address) >= 0) {
			*chunk = (struct chunk){ .address = address, .pages = size, .piece = size };
			return chunk;
		}
		if (size == pages)
			return NULL;
	}
}

/* Returns whether the quota suffices for a number of pages and for the memory manager's page tables. */
static bool large_fits(uint64_t pages)
{
	word used, frames;

	return pages <= LARGE_MAX && mem_available(&used, &frames) >=
					     (long)(pages + pages / TABLE_ENTRIES + TABLE_LEVELS);
}

static void pieces_free(const word *addresses, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		mem_free(addresses[i]);
}

/*
 * Reserves `count` adjacent allocations of `piece` pages each. The memory manager chooses the lowest gap that is wide
 * enough. So a reservation follows the previous one unless that one filled its gap. Returns the address, or 0.
 */
static word pieces_reserve(unsigned int count, uint64_t piece)
{
	static word addresses[PIECES_MAX];
	unsigned int all = 0, adjacent = 0;

	while (adjacent < count && all < PIECES_MAX &&
	       mem_reserve(piece, LIMPET_READ | LIMPET_WRITE, &addresses[all]) >= 0) {
		if (adjacent && addresses[all] != addresses[all - 1] + piece * LIMPET_PAGE)
			adjacent = 0;
		adjacent++;
		all++;
	}
	if (adjacent < count) {
		pieces_free(addresses, all);
		return 0;
	}
	pieces_free(addresses, all - count);
	return addresses[all - count];
}

/*
 * Allocates a large chunk with its bitmap, and touches both immediately. A page that is missing later could end the
 * program.
 */
static void *large_get(uint64_t pages)
{
	const uint64_t all = pages + (pages + PAGE_BITS - 1) / PAGE_BITS;
	const uint64_t count = (all + PIECE_MAX - 1) / PIECE_MAX;
	const uint64_t piece = (all + count - 1) / count;
	struct chunk *chunk = chunk_free();
	word address;

	if (!chunk || !large_fits(all))
		return NULL;
	address = pieces_reserve((unsigned int)count, piece);
	if (!address)
		return NULL;
	for (uint64_t n = 0; n < all; n++)
		*(volatile uint8_t *)(address + n * LIMPET_PAGE) = 0;
	*chunk =
		(struct chunk){ .address = address, .pages = pages, .piece = piece, .live = pages };
	bits_set(given(chunk), 0, pages, true);
	return (void *)address;
}

static void *get(uint64_t pages)
{
	struct chunk *chunk;

	if (pages > CHUNK)
		return large_get(pages);
	for (unsigned int i = 0; i < chunks_end; i++) {
		uint64_t first = chunks[i].pages && !large(&chunks[i]) ? run_find(&chunks[i], pages)
								       : CHUNK;

		if (first != CHUNK)
			return run_take(&chunks[i], first, pages);
	}
	chunk = chunk_new(pages);
	return chunk ? run_take(chunk, 0, pages) : NULL;
}

/*
 * Sets the rights of pages in each allocation of a chunk. UNMAPPED frees their memory. Returns a status of interface
 * mem.
 */
static long range_set(const struct chunk *chunk, uint64_t address, uint64_t pages, word rights)
{
	long status = 0;

	for (uint64_t part; pages && status >= 0; pages -= part, address += part * LIMPET_PAGE) {
		part = chunk->piece - (address - chunk->address) / LIMPET_PAGE % chunk->piece;
		part = part < pages ? part : pages;
		status = rights == UNMAPPED ? mem_unmap(address, part)
					    : mem_protect(address, part, rights);
	}
	return status;
}

static void chunk_drop(struct chunk *chunk)
{
	for (uint64_t n = 0; n < chunk->pages; n += chunk->piece)
		if (mem_free(chunk->address + n * LIMPET_PAGE) < 0)
			return;
	chunk->pages = 0;
}

/* Frees a range. Pages of it can be free already, as on Linux. */
static void put(struct chunk *chunk, uint64_t address, uint64_t pages)
{
	const uint64_t first = (address - chunk->address) / LIMPET_PAGE;

	end_remove(address, pages * LIMPET_PAGE);
	if (large(chunk)) {
		range_set(chunk, address, pages, UNMAPPED);
	} else {
		if (bits_count(chunk->bound.word, first, pages))
			range_set(chunk, address, pages, LIMPET_READ | LIMPET_WRITE);
		bits_set(chunk->bound.word, first, pages, false);
	}
	chunk->live -= bits_count(given(chunk), first, pages);
	bits_set(given(chunk), first, pages, false);
	if (!chunk->live)
		chunk_drop(chunk);
}

void *pages_get(size_t size)
{
	void *address;

	lock_take(&lock);
	address = get(pages_of(size));
	lock_drop(&lock);
	return address;
}

void pages_put(void *address, size_t size)
{
	struct chunk *chunk;

	lock_take(&lock);
	chunk = chunk_of((uint64_t)address, pages_of(size));
	if (chunk)
		put(chunk, (uint64_t)address, pages_of(size));
	lock_drop(&lock);
}

/* --- system calls */

static long protect(struct chunk *chunk, uint64_t address, uint64_t pages, word protection)
{
	const word rights = (protection & PROT_READ ? LIMPET_READ : 0) |
			    (protection & PROT_WRITE ? LIMPET_READ | LIMPET_WRITE : 0);
	const bool bound = rights != (LIMPET_READ | LIMPET_WRITE);
	const uint64_t first = (address - chunk->address) / LIMPET_PAGE;

	if (protection & PROT_EXEC)
		return CALL_REFUSE(EACCES, "memory cannot become executable");
	if (!large(chunk) && !bound && !bits_count(chunk->bound.word, first, pages))
		return 0;
	if (range_set(chunk, address, pages, rights) < 0)
		return -ENOMEM;
	if (large(chunk))
		chunk->limited = bound || (chunk->limited && pages < chunk->pages);
	else
		bits_set(chunk->bound.word, first, pages, bound);
	return 0;
}

/* Sets the protection of a range, except that of pages beyond the end of their file. */
static long protect_inside(struct chunk *chunk, uint64_t address, uint64_t pages, word protection)
{
	long status = 0;

	if (!end_overlaps(address, pages * LIMPET_PAGE))
		return protect(chunk, address, pages, protection);
	for (uint64_t part; pages && !status; pages -= part, address += part * LIMPET_PAGE) {
		const bool beyond = end_has(address);

		part = 1;
		while (part < pages && end_has(address + part * LIMPET_PAGE) == beyond)
			part++;
		if (!beyond)
			status = protect(chunk, address, part, protection);
	}
	return status;
}

/* Makes pages inaccessible, because they are beyond the end of their file. Returns 0 or -ENOMEM. */
static long hide(struct chunk *chunk, uint64_t address, uint64_t pages)
{
	long status = end_add(address, pages * LIMPET_PAGE) ? 0 : -ENOMEM;

	if (!status)
		status = protect(chunk, address, pages, PROT_NONE);
	if (status)
		end_remove(address, pages * LIMPET_PAGE);
	return status;
}

/*
 * Makes a range of a chunk allocated memory that is zero, readable and writable. Returns 0 or -ENOMEM. Free pages of a
 * large chunk have no memory, so the quota must suffice for them.
 */
static long claim(struct chunk *chunk, uint64_t address, uint64_t pages)
{
	const uint64_t first = (address - chunk->address) / LIMPET_PAGE;
	const uint64_t more = pages - bits_count(given(chunk), first, pages);
	long status;

	if (large(chunk) && more && !large_fits(more))
		return -ENOMEM;
	end_remove(address, pages * LIMPET_PAGE);
	status = protect(chunk, address, pages, PROT_READ | PROT_WRITE);
	if (status)
		return status;
	chunk->live += more;
	bits_set(given(chunk), first, pages, true);
	if (!large(chunk))
		bits_set(chunk->dirty.word, first, pages, true);
	memset((void *)address, 0, pages * LIMPET_PAGE);
	return 0;
}

void *pages_claim(uint64_t address, size_t size)
{
	struct chunk *chunk;
	bool claimed;

	lock_take(&lock);
	chunk = chunk_of(address, pages_of(size));
	claimed = chunk && !claim(chunk, address, pages_of(size));
	lock_drop(&lock);
	return claimed ? (void *)address : NULL;
}

long pages_limit(const void *memory, size_t size, size_t inside, word protection)
{
	const uint64_t address = (uint64_t)memory, pages = pages_of(size);
	const uint64_t first = pages_of(inside) < pages ? pages_of(inside) : pages;
	struct chunk *chunk;
	long status = 0;

	lock_take(&lock);
	chunk = chunk_of(address, pages);
	if (first)
		status = protect(chunk, address, first, protection);
	if (!status && first < pages)
		status = hide(chunk, address + first * LIMPET_PAGE, pages - first);
	lock_drop(&lock);
	return status;
}

void pages_show(const void *memory, size_t size)
{
	const uint64_t address = (uint64_t)memory;
	struct chunk *chunk;

	lock_take(&lock);
	chunk = chunk_of(address, pages_of(size));
	if (chunk && end_overlaps(address, size)) {
		end_remove(address, size);
		protect(chunk, address, pages_of(size), PROT_READ | PROT_WRITE);
	}
	lock_drop(&lock);
}

/* Returns whether the library can read and write all pages of a range. */
static bool is_writable(struct chunk *chunk, uint64_t address, uint64_t pages)
{
	const uint64_t first = (address - chunk->address) / LIMPET_PAGE;

	if (large(chunk))
		return !chunk->limited && bits_count(given(chunk), first, pages) == pages;
	return !bits_count(chunk->bound.word, first, pages);
}

static long map(uint64_t pages, word protection)
{
	uint64_t address = (uint64_t)get(pages);
	struct chunk *chunk = chunk_of(address, pages);
	long status;

	if (!address)
		return -ENOMEM;
	status = protect(chunk, address, pages, protection);
	if (!status)
		return (long)address;
	put(chunk, address, pages);
	return status;
}

static bool heap_has(word address, word size)
{
	const struct limpet_info *info = limpet_info();

	return address - info->heap < info->heap_size &&
	       size <= info->heap + info->heap_size - address;
}

/*
 * Serves MAP_FIXED for anonymous memory. The range must be memory of mmap() or brk() already, and is zeroed. Memory of
 * the heap keeps its contents, because the C library only makes a guard page there.
 */
static long map_again(word address, word size, word protection)
{
	const uint64_t pages = pages_of(size);
	struct chunk *chunk;
	long status = -EINVAL;

	lock_take(&lock);
	chunk = chunk_of(address, pages);
	if (chunk) {
		status = claim(chunk, address, pages);
		if (!status)
			status = protect(chunk, address, pages, protection);
	} else if (heap_has(address, size)) {
		status = 0;
	}
	lock_drop(&lock);
	if (status == -EINVAL)
		return CALL_REFUSE(EINVAL, FIXED_ELSEWHERE);
	return status ? status : (long)address;
}

long call_mmap(word address, word size, word protection, word flags, word file, word offset)
{
	long status;

	if (!size || offset % LIMPET_PAGE || (flags & MAP_FIXED && address % LIMPET_PAGE))
		return -EINVAL;
	/* The range stays the file's memory, so the new mapping would change the file. */
	if (flags & MAP_FIXED && file_holds(address, size))
		return CALL_REFUSE(EINVAL, "MAP_FIXED does not replace a shared mapping");
	if (!(flags & MAP_ANONYMOUS) && !file_is_zero(file))
		return file_map(address, file, size, protection, flags, offset);
	if (flags & MAP_FIXED)
		return map_again(address, size, protection);
	lock_take(&lock);
	status = map(pages_of(size), protection);
	lock_drop(&lock);
	return status;
}

/* Returns the chunk of a range that a system call names, or NULL. Requires the lock. */
static struct chunk *chunk_named(word address, word size)
{
	return address % LIMPET_PAGE || !size ? NULL : chunk_of(address, pages_of(size));
}

long call_munmap(word address, word size)
{
	struct chunk *chunk;
	long status;

	if (!size || address % LIMPET_PAGE)
		return -EINVAL;
	status = file_unmap(address, size);
	if (status != -ENOENT)
		return status;
	/* A file keeps its memory, also where it is not mapped any more. */
	if (file_holds(address, size))
		return 0;
	lock_take(&lock);
	chunk = chunk_named(address, size);
	if (chunk)
		put(chunk, address, pages_of(size));
	lock_drop(&lock);
	return chunk ? 0 : -EINVAL;
}

long call_mprotect(word address, word size, word protection)
{
	struct chunk *chunk;
	long status = -ENOMEM;

	if (file_mapped(address, size)) /* the file's own memory stays readable and writable */
		return 0;
	lock_take(&lock);
	chunk = chunk_named(address, size);
	if (chunk)
		status = protect_inside(chunk, address, pages_of(size), protection);
	lock_drop(&lock);
	return status;
}

/* Makes a larger mapping at another address, with the contents of the old one. Returns the address or -ENOMEM. */
static long move(struct chunk *old, uint64_t address, uint64_t pages, uint64_t wanted)
{
	void *to = get(wanted);

	if (!to)
		return -ENOMEM;
	memcpy(to, (const void *)address, pages * LIMPET_PAGE);
	put(old, address, pages);
	return (long)to;
}

long call_mremap(word address, word size, word wanted, word flags)
{
	const uint64_t before = pages_of(size), after = pages_of(wanted);
	struct chunk *chunk;
	long status = (long)address;

	if (flags & ~(word)MREMAP_MAYMOVE)
		return CALL_REFUSE(EINVAL, "only MREMAP_MAYMOVE can be had");
	if (!after)
		return -EINVAL;
	/* The memory of a shared mapping belongs to the file, so it neither moves nor is freed. */
	if (file_mapped(address, size))
		return after == before ? status
				       : CALL_REFUSE(ENOMEM, "a shared mapping keeps its size");
	lock_take(&lock);
	chunk = chunk_named(address, size);
	if (!chunk)
		status = -EFAULT;
	else if (after > before && !is_writable(chunk, address, before))
		status = CALL_REFUSE(EFAULT, "the memory is not readable and writable");
	else if (after < before)
		put(chunk, address + after * LIMPET_PAGE, before - after);
	else if (after > before)
		status = flags & MREMAP_MAYMOVE ? move(chunk, address, before, after) : -ENOMEM;
	lock_drop(&lock);
	return status;
}

/*
 * Zeroes memory for MADV_DONTNEED, and ignores other advice. Only munmap() frees memory. A shared mapping keeps the
 * file's content. Linux's madvise(2).
 */
long call_madvise(word address, word size, word advice)
{
	struct chunk *chunk;
	long status = 0;

	if (size && address % LIMPET_PAGE == 0 && file_mapped(address, size))
		return 0;
	lock_take(&lock);
	chunk = chunk_named(address, size);
	if (size && !chunk && !heap_has(address, size))
		status = -ENOMEM;
	else if (size && advice == MADV_DONTNEED && chunk &&
		 !is_writable(chunk, address, pages_of(size)))
		status = CALL_REFUSE(EINVAL, "the memory is not readable and writable");
	else if (advice == MADV_DONTNEED)
		memset((void *)address, 0, pages_of(size) * LIMPET_PAGE);
	lock_drop(&lock);
	return status;
}

long call_brk(word end)
{
	const struct limpet_info *info = limpet_info();

	lock_take(&lock);
	if (!brk_end)
		brk_end = info->heap;
	if (end >= info->heap && end <= info->heap + info->heap_size) {
		if (end < brk_end)
			memset((void *)end, 0, brk_end - end);
		brk_end = end;
	}
	end = brk_end;
	lock_drop(&lock);
	return (long)end;
}

/* Returns whether all pages of a range are allocated. The range can reach from one chunk into the next one. */
static bool range_given(uint64_t address, uint64_t pages)
{
	for (uint64_t part; pages; pages -= part, address += part * LIMPET_PAGE) {
		struct chunk *chunk = chunk_of(address, 1);
		uint64_t first;

		if (!chunk)
			return false;
		first = (address - chunk->address) / LIMPET_PAGE;
		part = pages < chunk->pages - first ? pages : chunk->pages - first;
		if (bits_count(given(chunk), first, part) < part)
			return false;
	}
	return true;
}

/*
 * The library does not know the addresses of the program's code, data and stack. Therefore an address outside of all
 * chunks counts as one of these if it is a user address.
 */
bool memory_has(word address, word size)
{
	bool there = address < LIMPET_USER_END && size < LIMPET_USER_END - address;

	lock_take(&lock);
	if (there && chunk_of(address, 1))
		there = range_given(address, pages_of(size));
	lock_drop(&lock);
	return there;
}

bool memory_given(word address)
{
	bool is_given;

	lock_take(&lock);
	is_given = range_given(address, 1);
	lock_drop(&lock);
	return is_given;
}

/* Succeeds, because all memory of a component always has frames. POSIX.1-2017, mlock(). */
long call_mlock(word address, word size)
{
	const word offset = address % LIMPET_PAGE;

	return !size || memory_has(address - offset, size + offset) ? 0 : -ENOMEM;
}

long call_munlock(word address, word size)
{
	return call_mlock(address, size);
}

/* Reports each page as resident, because all memory of a component always has frames. */
long call_mincore(word address, word size, word to)
{
	if (address % LIMPET_PAGE)
		return -EINVAL;
	if (size && !memory_has(address, size))
		return -ENOMEM;
	memset((void *)to, 1, pages_of(size));
	return 0;
}

long call_mlockall(word flags)
{
	if (!flags || flags & ~(word)(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) ||
	    flags == MCL_ONFAULT)
		return -EINVAL;
	all_locked = true;
	return 0;
}

bool memory_locked(void)
{
	return all_locked;
}

long call_munlockall(void)
{
	all_locked = false;
	return 0;
}
