/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Manages buffers of a fixed size in memory that components share, to pass data without a copy. A
 * component passes a buffer to another one by its index, in a word of any invocation or queue.
 * Getting and returning a buffer needs no invocation and no kernel call.
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
 * A component that accepted a buffer can give it to a third component that joined. Each component
 * keeps a private record of its buffers, and does not trust indices and shared words of other
 * components. A wrong index can lose buffers of this pool. A component with write access to the
 * data can also change buffers that it does not have. Grant only LIMPET_READ, or copy data that
 * must not change between check and use.
 *
 * All threads of a component may use one pool.
 */
#ifndef BUFFER_BUFFER_H
#define BUFFER_BUFFER_H

#include <runtime/types.h>

#define BUFFERS_MAX 512
#define BUFFER_WORDS (BUFFERS_MAX / 64)

struct buffer_pool {
	uint64_t *free; /* shared; bit n: buffer n is free */
	word control;	/* address of these words' page */
	word data;	/* address of buffer 0 */
	uint32_t count;
	uint32_t size;		    /* bytes of each */
	uint64_t own[BUFFER_WORDS]; /* bit n: this component has buffer n */
};

/*
 * Makes a pool of free buffers in allocated memory: a page at `control`, and `pages` pages at
 * `data`. ERANGE: size is 0, not a multiple of 8, or larger than the data. Memory for more than
 * BUFFERS_MAX buffers stays unused.
 */
long buffer_begin(struct buffer_pool *pool, word control, word data, word pages, word size);
/*
 * Joins a pool in attached memory. `pages` is the result of mem_attach(); size and count are the
 * values that the components agreed on. It does not trust the content of the memory. ERANGE: the
 * buffers do not fit into the pages, or count is 0 or above BUFFERS_MAX.
 */
long buffer_join(struct buffer_pool *pool, word control, word data, word pages, word size,
		 word count);
/* Gets a free buffer for the component, and returns its index. EEMPTY: no buffer is free. */
long buffer_get(struct buffer_pool *pool);
/* Returns the address of a buffer of the component, or NULL if the component does not have it. */
void *buffer_at(const struct buffer_pool *pool, word index);
/*
 * Gives up a buffer that another component will accept. ENOENT: the component does not have the
 * buffer.
 */
long buffer_give(struct buffer_pool *pool, word index);
/*
 * Accepts a buffer of another component. ERANGE: the index is invalid; ESTATE: the component has it
 * already.
 */
long buffer_accept(struct buffer_pool *pool, word index);
/* Frees a buffer of the component. ENOENT: the component does not have the buffer. */
long buffer_put(struct buffer_pool *pool, word index);

#endif
