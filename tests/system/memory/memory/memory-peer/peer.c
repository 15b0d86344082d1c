// SPDX-License-Identifier: BSD-2-Clause
#include <buffer/buffer.h>
#include <runtime/component.h>

#include <export/pong.h>
#include <import/mem.h>

#include "peer.h"

static struct buffer_pool pool;

static void fill(word *at, word words, word seed)
{
	for (word i = 0; i < words; i++)
		at[i] = seed * (i + 1);
}

static word sum(const word *at, word words)
{
	word total = 0;

	for (word i = 0; i < words; i++)
		total += at[i];
	return total;
}

static long touch(word action, word b, word c, word d, struct pong_call6_results *out)
{
	switch (action) {
	case PEER_READ:
		out->x = *(volatile word *)b;
		return LIMPET_OK;
	case PEER_WRITE:
		*(volatile word *)b = c;
		return LIMPET_OK;
	case PEER_EXECUTE:
		((void (*)(void))b)();
		return LIMPET_OK;
	case PEER_FILL:
		fill((word *)b, c, d);
		return LIMPET_OK;
	case PEER_SUM:
		out->x = sum((const word *)b, c);
		return LIMPET_OK;
	}
	return LIMPET_ECALL;
}

static long pool_make(word who, struct pong_call6_results *out)
{
	long status = mem_allocate(1, &out->x);

	if (!status)
		status = mem_allocate(POOL_PAGES, &out->y);
	if (!status)
		status = mem_grant(out->x, who, LIMPET_READ | LIMPET_WRITE);
	if (!status)
		status = mem_grant(out->y, who, LIMPET_READ);
	return status ? status : buffer_begin(&pool, out->x, out->y, POOL_PAGES, BUFFER_SIZE);
}

static long pool_join(word control, word data)
{
	long pages = mem_attach(control);

	if (pages == 1)
		pages = mem_attach(data);
	if (pages < 0)
		return pages;
	return buffer_join(&pool, control, data, (word)pages, BUFFER_SIZE,
			   POOL_PAGES * LIMPET_PAGE / BUFFER_SIZE);
}

static long pool_send(word seed)
{
	long index = buffer_get(&pool);

	if (index < 0)
		return index;
	fill(buffer_at(&pool, (word)index), BUFFER_SIZE / sizeof(word), seed);
	buffer_give(&pool, (word)index);
	return index;
}

static long pool_receive(word index, word *total)
{
	long status = buffer_accept(&pool, index);

	if (status)
		return status;
	*total = sum(buffer_at(&pool, index), BUFFER_SIZE / sizeof(word));
	return buffer_put(&pool, index);
}

static long share(word action, word b, word c, word d, struct pong_call6_results *out)
{
	switch (action) {
	case PEER_GRANT:
		return mem_grant(b, c, d);
	case PEER_REVOKE:
		return mem_revoke(b, c);
	case PEER_ATTACH:
		return mem_attach(b);
	case PEER_DETACH:
		return mem_detach(b);
	case PEER_POOL:
		return pool_make(b, out);
	case PEER_JOIN:
		return pool_join(b, c);
	case PEER_SEND:
		return pool_send(b);
	case PEER_RECEIVE:
		return pool_receive(b, &out->x);
	case PEER_BACK:
		return buffer_put(&pool, b);
	}
	return touch(action, b, c, d, out);
}

long pong_serve_call6(word badge, word a, word b, word c, word d, word e, word f,
		      struct pong_call6_results *out)
{
	(void)badge, (void)e, (void)f;
	switch (a) {
	case PEER_INDEX:
		out->x = limpet_info()->index;
		return LIMPET_OK;
	case PEER_ALLOCATE:
		return mem_allocate(b, &out->x);
	case PEER_RESERVE:
		return mem_reserve(b, c, &out->x);
	case PEER_FREE:
		return mem_free(b);
	case PEER_UNMAP:
		return mem_unmap(b, c);
	case PEER_PROTECT:
		return mem_protect(b, c, d);
	case PEER_AVAILABLE:
		return mem_available(&out->x, &out->y);
	case PEER_DELEGATE:
		return mem_delegate(b);
	}
	return share(a, b, c, d, out);
}
