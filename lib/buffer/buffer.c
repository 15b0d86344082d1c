// SPDX-License-Identifier: BSD-2-Clause
#include <buffer/buffer.h>

static long pool_fill(struct buffer_pool *pool, word control, word data, word pages, word size,
		      word count)
{
	if (!size || size % 8 || size > pages * LIMPET_PAGE)
		return LIMPET_ERANGE;
	if (!count || count > BUFFERS_MAX || count > pages * LIMPET_PAGE / size)
		return LIMPET_ERANGE;
	*pool = (struct buffer_pool){
		.free = (uint64_t *)control,
		.control = control,
		.data = data,
		.count = (uint32_t)count,
		.size = (uint32_t)size,
	};
	return LIMPET_OK;
}

long buffer_begin(struct buffer_pool *pool, word control, word data, word pages, word size)
{
	word count = size ? pages * LIMPET_PAGE / size : 0;
	long status;

	if (pages > UINT32_MAX / LIMPET_PAGE)
		return LIMPET_ERANGE;
	if (count > BUFFERS_MAX)
		count = BUFFERS_MAX;
	status = pool_fill(pool, control, data, pages, size, count);
	for (word i = 0; i < BUFFER_WORDS && !status; i++) {
		word left = i * 64 < count ? count - i * 64 : 0;

		pool->free[i] = left < 64 ? (1ul << left) - 1 : ~0ul;
	}
	return status;
}

long buffer_join(struct buffer_pool *pool, word control, word data, word pages, word size,
		 word count)
{
	if (pages > UINT32_MAX / LIMPET_PAGE)
		return LIMPET_ERANGE;
	return pool_fill(pool, control, data, pages, size, count);
}

static bool own_has(const struct buffer_pool *pool, word index)
{
	return index < pool->count &&
	       __atomic_load_n(&pool->own[index / 64], __ATOMIC_RELAXED) >> index % 64 & 1;
}

/* Returns whether this call has changed the bit. */
static bool bit_set(uint64_t *words, word index)
{
	uint64_t bit = 1ul << index % 64;

	return !(__atomic_fetch_or(&words[index / 64], bit, __ATOMIC_ACQ_REL) & bit);
}

static bool bit_clear(uint64_t *words, word index)
{
	uint64_t bit = 1ul << index % 64;

	return __atomic_fetch_and(&words[index / 64], ~bit, __ATOMIC_ACQ_REL) & bit;
}

/*
 * Returns the free buffers of one shared word, without the component's own buffers. Other components can write any
 * bits.
 */
static uint64_t free_in(const struct buffer_pool *pool, word i)
{
	uint64_t bits = __atomic_load_n(&pool->free[i], __ATOMIC_ACQUIRE);
	word left = pool->count - i * 64;

	bits &= ~__atomic_load_n(&pool->own[i], __ATOMIC_RELAXED);
	return left < 64 ? bits & ((1ul << left) - 1) : bits;
}

long buffer_get(struct buffer_pool *pool)
{
	for (word i = 0; i * 64 < pool->count; i++) {
		for (uint64_t bits = free_in(pool, i); bits; bits &= bits - 1) {
			word index = i * 64 + (word)__builtin_ctzl(bits);

			if (bit_clear(pool->free, index) && bit_set(pool->own, index))
				return (long)index;
		}
	}
	return LIMPET_EEMPTY;
}

void *buffer_at(const struct buffer_pool *pool, word index)
{
	return own_has(pool, index) ? (void *)(pool->data + index * pool->size) : NULL;
}

long buffer_give(struct buffer_pool *pool, word index)
{
	return index < pool->count && bit_clear(pool->own, index) ? LIMPET_OK : LIMPET_ENOENT;
}

long buffer_accept(struct buffer_pool *pool, word index)
{
	if (index >= pool->count)
		return LIMPET_ERANGE;
	return bit_set(pool->own, index) ? LIMPET_OK : LIMPET_ESTATE;
}

long buffer_put(struct buffer_pool *pool, word index)
{
	long status = buffer_give(pool, index);

	if (!status)
		bit_set(pool->free, index);
	return status;
}
