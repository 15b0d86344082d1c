/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buffers of a fixed size in memory that components share: data that one makes and another uses cross
 * without being copied, and who has a buffer is handed over by its index, in a word of any invocation or
 * queue. Getting one and putting it back are neither an invocation nor a kernel call.
 *
 *	owner                                       user
 *	mem_allocate() both, buffer_begin(&pool, ...)
 *	mem_grant(pool.data, user, LIMPET_READ)
 *	mem_grant(pool.control, user, READ|WRITE)   mem_attach() both, buffer_join(&pool, ...)
 *	i = buffer_get(&pool)
 *	fill buffer_at(&pool, i)
 *	buffer_give(&pool, i)          --- i --->   buffer_accept(&pool, i)
 *	                                            use buffer_at(&pool, i)
 *	buffer_get() finds it again                 buffer_put(&pool, i)
 *
 * Whoever accepted a buffer can give it on to a third one that joined. Each side keeps for itself which
 * buffers it has; the other side's indices and the shared words are claims. The worst that a wrong claim
 * does: buffers are lost for this pool, or are changed by the other side while one has them, if it can write
 * the data: grant LIMPET_READ alone, or copy what must not change between looking and using.
 *
 * All threads of a component may use one pool.
 */
#ifndef BUFFER_BUFFER_H
#define BUFFER_BUFFER_H

#include <runtime/types.h>

#define BUFFERS_MOST 512
#define BUFFER_WORDS (BUFFERS_MOST / 64)

struct buffer_pool {
	uint64_t *free; /* shared: bit n: nobody has buffer n */
	word control;	/* address of these words' page */
	word data;	/* address of buffer 0 */
	uint32_t count;
	uint32_t size;		    /* bytes of each */
	uint64_t own[BUFFER_WORDS]; /* bit n: this component has buffer n */
};

/*
 * A pool over memory that is there: `control` a page, `pages` pages of data, all buffers free. ERANGE: size
 * is 0, no multiple of 8, or larger than the data. What would be more than BUFFERS_MOST stays unused.
 */
long buffer_begin(struct buffer_pool *pool, word control, word data, word pages, word size);
/*
 * The other side: memory that it attached, with the pages that mem_attach() told; size and count are the
 * agreed ones. Nothing in the memory is believed. ERANGE: they do not fit the pages, or count is above
 * BUFFERS_MOST or 0.
 */
long buffer_join(struct buffer_pool *pool, word control, word data, word pages, word size,
		 word count);
/* A free buffer, which is the component's then: its index. EEMPTY: there is none. */
long buffer_get(struct buffer_pool *pool);
/* Where a buffer is that the component has; NULL: it has not. */
void *buffer_at(const struct buffer_pool *pool, word index);
/* Not the component's any more: the index goes to somebody who accepts it. ENOENT: it has no such buffer. */
long buffer_give(struct buffer_pool *pool, word index);
/* What somebody gave. ERANGE: there is no such buffer; ESTATE: it is the component's already. */
long buffer_accept(struct buffer_pool *pool, word index);
/* Free again, for whoever gets buffers. ENOENT: the component has no such buffer. */
long buffer_put(struct buffer_pool *pool, word index);

#endif
