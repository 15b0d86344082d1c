/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory manager. One lock keeps all records. What has to zero or copy memory gives the lock up every
 * STEP pages, in a state that is whole; all else is bounded by the pages that one call may name.
 *
 * What a page of a client's window is says one entry. Pages have memory of their own or none, and are
 * mapped when they have some and may be read. A page that had memory at the client's mark keeps its frame
 * until the mark goes, so that a rollback needs nothing that somebody else may have taken.
 */
#ifndef MEM_H
#define MEM_H

#include <runtime/types.h>
#include <runtime/window.h>

#define PAGE_FRAME 0x3ffffu    /* number of its frame */
#define PAGE_HAS (1u << 18)    /* it has a frame */
#define PAGE_STALE (1u << 19)  /* the frame is only kept for the mark: it has no memory */
#define PAGE_TAKEN (1u << 20)  /* part of an allocation */
#define PAGE_FIRST (1u << 21)  /* its first one */
#define PAGE_SHARED (1u << 22) /* the allocation is granted to somebody */
#define PAGE_READ (1u << 23)
#define PAGE_WRITE (1u << 24)
#define PAGE_RIGHTS (PAGE_READ | PAGE_WRITE)

#define ALLOCATE_MOST 256 /* pages, see the interface */
#define RANGE_MOST 4096
#define STEP 32u       /* pages that are freed or copied before others get the lock */
#define SPACE_FACTOR 4 /* a window is so many times as wide as the quota */

/* A component that is served, by index. */
struct client {
	uint32_t quota, used; /* pages */
	uint32_t space;	      /* pages of its window that it can use; 0: it is not served */
	uint32_t epoch;	      /* rollbacks */
	uint32_t *page;	      /* what each is */
	uint64_t *taken;      /* one bit each: part of an allocation */
	uint32_t *saved; /* entries at its mark, with frames that hold the content; NULL: no mark */
};

/* client.c: who is served, and the pages of each. */
long clients_setup(const struct limpet_info *info);
uint32_t client_quota(const struct limpet_info *info, uint32_t index);
/* The client at an index of the image; NULL: it is not served. */
struct client *client_at(word index);
uint32_t client_index(const struct client *client);
/*
 * The client that calls, with the lock taken. LIMPET_ERANGE: it is none; LIMPET_ECRASH: it was rolled back
 * while the call waited for the lock. Then the lock is free.
 */
long client_enter(word badge, struct client **client);
/* Drops the lock; returns status. */
long client_leave(long status);
uint64_t page_address(const struct client *client, uint32_t page);
/* Its page at an address; at least `space` when it has none there. */
uint64_t page_at(const struct client *client, word address);
/* The pages of the allocation that begins at `page`; 0: none does. */
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

/* page.c: memory for pages. */
/* Whether quota and frames are there for `pages` more frames of the client's: LIMPET_EQUOTA, LIMPET_ENOMEM. */
long frames_allow(const struct client *client, uint32_t pages);
/* Gives it memory, which is zero; frames_allow() said yes, or its frame is kept. */
void page_back(struct client *client, uint32_t page);
/* It has no memory any more, and what was in that is gone; its other bits are left as they are. It is not mapped anywhere. */
void page_drop(struct client *client, uint32_t page);
/*
 * Maps those of the owner's pages [page, page + pages) that are backed, with rights that are theirs and in
 * `rights`, in component `in`. When it fails, LIMPET_EQUOTA or LIMPET_ENOMEM, none of them is mapped.
 */
long pages_map(uint32_t in, const struct client *owner, uint32_t page, uint32_t pages, word rights);
/* One that is backed and may be read, in its owner. */
long page_map(const struct client *owner, uint32_t page);
void pages_unmap(uint32_t in, const struct client *owner, uint32_t page, uint32_t pages);
/* The same for the allocation's owner; and entries, bits and memory: as if it had never been. */
void extent_end(struct client *client, uint32_t page, uint32_t pages);

/* share.c: what is granted. */
/* Nobody but the owner has the allocation any more. */
void share_end(struct client *client, uint32_t page);
/* What is shared now is as at the mark; what has come since goes. */
void shares_mark(const struct client *client);
void shares_rollback(struct client *client);

/* delegate.c: frames from the parent, if there is one. */
long parent_ask(uint32_t pages);

#endif
