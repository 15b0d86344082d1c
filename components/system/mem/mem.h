/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory manager. One lock protects all records. Zeroing and copying release the lock every
 * STEP pages, in a consistent state. All other work is bounded by the number of pages that one call
 * may name.
 *
 * One entry describes a page of a client's window. A page with memory is mapped if it may be read.
 * A page that had memory at the client's mark keeps its frame until the mark ends, so that a
 * rollback needs no frames that another client may have allocated.
 */
#ifndef MEM_H
#define MEM_H

#include <runtime/types.h>
#include <runtime/window.h>

#define PAGE_FRAME 0x3ffffu    /* number of the page's frame */
#define PAGE_HAS (1u << 18)    /* the page has a frame */
#define PAGE_STALE (1u << 19)  /* the frame is kept for the mark only: the page has no memory */
#define PAGE_TAKEN (1u << 20)  /* part of an allocation */
#define PAGE_FIRST (1u << 21)  /* first page of an allocation */
#define PAGE_SHARED (1u << 22) /* the allocation is granted to another component */
#define PAGE_READ (1u << 23)
#define PAGE_WRITE (1u << 24)
#define PAGE_RIGHTS (PAGE_READ | PAGE_WRITE)

#define ALLOCATE_MAX 256 /* pages, see the interface */
#define RANGE_MAX 4096
#define STEP 32u       /* pages that are freed or copied before other threads get the lock */
#define SPACE_FACTOR 4 /* size of a window, as a multiple of the quota */

/* A client, by its index in the image. */
struct client {
	uint32_t quota, used; /* pages */
	uint32_t space;	      /* usable pages of its window; 0: not a client */
	uint32_t epoch;	      /* number of rollbacks */
	uint32_t *page;	      /* entry of each page */
	uint64_t *taken;      /* one bit for each page: part of an allocation */
	uint32_t *saved; /* entries at its mark, with frames that keep the content; NULL: no mark */
};

/* --- client.c: the clients, and their pages */
long clients_setup(const struct limpet_info *info);
uint32_t client_quota(const struct limpet_info *info, uint32_t index);
/* Returns the client at an index of the image. NULL: it is not a client. */
struct client *client_at(word index);
uint32_t client_index(const struct client *client);
/*
 * Takes the lock, and finds the calling client. LIMPET_ERANGE: the caller is not a client.
 * LIMPET_ECRASH: the client was rolled back while the call waited for the lock. After an error the
 * lock is released.
 */
long client_enter(word badge, struct client **client);
/* Releases the lock, and returns `status`. */
long client_leave(long status);
uint64_t page_address(const struct client *client, uint32_t page);
/*
 * Returns the number of the client's page at an address, or at least `space` if it is not in the
 * window.
 */
uint64_t page_at(const struct client *client, word address);
/*
 * Returns the number of pages of the allocation that starts at `page`. 0: no allocation starts
 * there.
 */
uint32_t extent_of(const struct client *client, word page);
static inline bool page_backed(uint32_t entry)
{
	return (entry & (PAGE_HAS | PAGE_STALE)) == PAGE_HAS;
}
static inline word page_rights(uint32_t entry)
{
	return (entry & PAGE_READ ? LIMPET_READ : 0) | (entry & PAGE_WRITE ? LIMPET_WRITE : 0);
}
static inline uint32_t rights_page(word rights)
{
	return (rights & LIMPET_READ ? PAGE_READ : 0) | (rights & LIMPET_WRITE ? PAGE_WRITE : 0);
}

/* --- page.c: memory of pages */
/*
 * Checks the quota and free frames for `pages` more frames of the client. Returns LIMPET_EQUOTA or
 * LIMPET_ENOMEM.
 */
long frames_allow(const struct client *client, uint32_t pages);
/*
 * Gives the page zeroed memory. The caller has called frames_allow(), or the page still has its
 * frame.
 */
void page_back(struct client *client, uint32_t page);
/*
 * Frees the page's memory, and discards its content. The other bits of the entry stay. The page
 * must not be mapped.
 */
void page_drop(struct client *client, uint32_t page);
/*
 * Maps those of the owner's pages [page, page + pages) that have memory, in component `in`. Each
 * has the rights that are both its own and in `rights`. LIMPET_EQUOTA, LIMPET_ENOMEM: all of them
 * are unmapped.
 */
long pages_map(uint32_t in, const struct client *owner, uint32_t page, uint32_t pages, word rights);
/* Maps a page with memory and read access in its owner. */
long page_map(const struct client *owner, uint32_t page);
void pages_unmap(uint32_t in, const struct client *owner, uint32_t page, uint32_t pages);
/*
 * Unmaps pages of an allocation in its owner, frees their memory, and clears their entries and
 * bits.
 */
void extent_end(struct client *client, uint32_t page, uint32_t pages);

/* --- share.c: shared allocations */
/* Revokes all grants of the allocation. */
void share_end(struct client *client, uint32_t page);
/* Records the current grants of the client's allocations. */
void shares_mark(const struct client *client);
/* Discards the record. */
void shares_forget(const struct client *client);
/* Revokes all grants that are not in the record. */
void shares_rollback(struct client *client);

/* --- delegate.c: asks a parent, if there is one, for frames */
long parent_ask(uint32_t pages);

#endif
