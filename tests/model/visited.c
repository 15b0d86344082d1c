// SPDX-License-Identifier: GPL-2.0
/* A hash table of keys that are random enough to be their own hash. */
#include "visited.h"

#include <stdlib.h>
#include <string.h>

/* The lowest bit of the second word: on the way. Both words 0: free. */
struct visited {
	uint64_t (*entry)[2];
	size_t size, used;
};

static void *checked(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

struct visited *visited_new(void)
{
	struct visited *v = checked(calloc(1, sizeof(*v)));

	v->size = 1 << 16;
	v->entry = checked(calloc(v->size, sizeof(*v->entry)));
	return v;
}

void visited_free(struct visited *v)
{
	free(v->entry);
	free(v);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

void visited_key(const void *data, size_t size, uint64_t *key)
{
	const unsigned char *byte = data;
	uint64_t a = 0x9e3779b97f4a7c15ul, b = 0xc2b2ae3d27d4eb4ful, word;
	size_t i;

	for (i = 0; i < size; i += 8) {
		memcpy(&word, byte + i, 8);
		a = mix(a ^ word, 0xff51afd7ed558ccdul) + i;
		b = mix(b + word, 0xc4ceb9fe1a85ec53ul) ^ a;
	}
	key[0] = mix(a, b | 1) | 1;
	key[1] = mix(b, a | 1) & ~1ul;
}

static uint64_t *find(struct visited *v, const uint64_t *key)
{
	size_t at = key[1] >> 8;

	for (;; at++) {
		uint64_t *entry = v->entry[at & (v->size - 1)];

		if (!entry[0] || (entry[0] == key[0] && (entry[1] & ~1ul) == key[1]))
			return entry;
	}
}

static void grow(struct visited *v)
{
	uint64_t(*old)[2] = v->entry;
	size_t i, size = v->size;

	v->size *= 2;
	v->entry = checked(calloc(v->size, sizeof(*v->entry)));
	for (i = 0; i < size; i++) {
		uint64_t key[2] = { old[i][0], old[i][1] & ~1ul };

		if (key[0])
			memcpy(find(v, key), old[i], sizeof(old[i]));
	}
	free(old);
}

enum visited_state visited_enter(struct visited *v, const uint64_t *key)
{
	uint64_t *entry = find(v, key);

	if (entry[0])
		return entry[1] & 1 ? VISITED_ON_THE_WAY : VISITED;
	entry[0] = key[0];
	entry[1] = key[1] | 1;
	if (++v->used * 2 > v->size)
		grow(v);
	return VISITED_NEVER;
}

void visited_leave(struct visited *v, const uint64_t *key)
{
	find(v, key)[1] &= ~1ul;
}
