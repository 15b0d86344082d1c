// SPDX-License-Identifier: BSD-2-Clause
#include <runtime/component.h>
#include <runtime/window.h>

#include <import/keeper.h>

#include "check.h"

static word index_of[3];

static word allocated(enum peer peer, word pages)
{
	EXPECT(order(peer, PEER_ALLOCATE, pages, 0, 0), LIMPET_OK);
	return result_x;
}

static word reserved(enum peer peer, word pages, word rights)
{
	EXPECT(order(peer, PEER_RESERVE, pages, rights, 0), LIMPET_OK);
	return result_x;
}

static word used(enum peer peer)
{
	order(peer, PEER_AVAILABLE, 0, 0, 0);
	return result_x;
}

static void value(enum peer peer, word address, word wanted)
{
	EXPECT(order(peer, PEER_READ, address, 0, 0), LIMPET_OK);
	EXPECT(result_x, wanted);
}

static void crashes(enum peer peer, enum peer_action action, word address)
{
	EXPECT(order(peer, action, address, 1, 1), LIMPET_ECRASH);
}

static void first_touch(void)
{
	word a = reserved(LEFT, 300, RW);

	EXPECT(used(LEFT), 0);
	EXPECT(order(LEFT, PEER_WRITE, a + 299 * PAGE + 8, 77, 0), LIMPET_OK);
	value(LEFT, a + 299 * PAGE + 8, 77);
	value(LEFT, a + 299 * PAGE, 0);
	value(LEFT, a + 3 * PAGE, 0);
	EXPECT(used(LEFT), 2);
	EXPECT(order(LEFT, PEER_FILL, a, 100 * PAGE / 8, 3), LIMPET_OK);
	EXPECT(used(LEFT), 101);
	EXPECT(order(LEFT, PEER_FREE, a, 0, 0), LIMPET_OK);
	EXPECT(used(LEFT), 0);
	crashes(LEFT, PEER_READ, a);
	verdict("memory comes on first touch");
}

static void guards(void)
{
	word a = allocated(LEFT, 8), r = reserved(LEFT, 2, R), n = reserved(LEFT, 2, 0);

	EXPECT(order(LEFT, PEER_FILL, a, 8 * PAGE / 8, 5), LIMPET_OK);
	EXPECT(order(LEFT, PEER_UNMAP, a, 1, 0), LIMPET_OK);
	crashes(LEFT, PEER_WRITE, a + PAGE - 8);
	value(LEFT, a + PAGE, 5 * (PAGE / 8 + 1));
	EXPECT(order(LEFT, PEER_PROTECT, a + 2 * PAGE, 1, R), LIMPET_OK);
	value(LEFT, a + 2 * PAGE, 5 * (2 * PAGE / 8 + 1));
	crashes(LEFT, PEER_WRITE, a + 2 * PAGE);
	crashes(LEFT, PEER_EXECUTE, a + 3 * PAGE);
	crashes(LEFT, PEER_WRITE, r);
	value(LEFT, r, 0);
	crashes(LEFT, PEER_READ, n);
	EXPECT(order(LEFT, PEER_PROTECT, n, 2, RW), LIMPET_OK);
	EXPECT(order(LEFT, PEER_WRITE, n, 9, 0), LIMPET_OK);
	EXPECT(order(LEFT, PEER_PROTECT, a, 8, RW), LIMPET_OK);
	value(LEFT, a, 0); /* its memory was unmapped */
	value(LEFT, a + 2 * PAGE, 5 * (2 * PAGE / 8 + 1));
	EXPECT(order(LEFT, PEER_FREE, a, 0, 0), LIMPET_OK);
	EXPECT(order(LEFT, PEER_FREE, r, 0, 0), LIMPET_OK);
	EXPECT(order(LEFT, PEER_FREE, n, 0, 0), LIMPET_OK);
	verdict("guard pages and rights hold");
}

static void others_memory(void)
{
	word a = allocated(LEFT, 2);

	EXPECT(order(LEFT, PEER_WRITE, a, 42, 0), LIMPET_OK);
	crashes(RIGHT, PEER_READ, a);
	crashes(RIGHT, PEER_WRITE, a);
	crashes(RIGHT, PEER_READ,
		limpet_window(index_of[RIGHT])); /* an unmapped address in its window */
	crashes(RIGHT, PEER_WRITE, limpet_window(LIMPET_COMPONENTS_MAX));
	EXPECT(order(RIGHT, PEER_FREE, a, 0, 0), LIMPET_ENOENT);
	EXPECT(order(RIGHT, PEER_UNMAP, a, 1, 0), LIMPET_ENOENT);
	EXPECT(order(RIGHT, PEER_PROTECT, a, 1, RW), LIMPET_ENOENT);
	EXPECT(order(RIGHT, PEER_GRANT, a, index_of[RIGHT], RW), LIMPET_ENOENT);
	EXPECT(order(RIGHT, PEER_ATTACH, a, 0, 0), LIMPET_ENOENT);
	EXPECT(order(RIGHT, PEER_REVOKE, a, 0, 0), LIMPET_ENOENT);
	EXPECT(order(RIGHT, PEER_DELEGATE, 8, 0, 0), LIMPET_ERIGHTS);
	value(LEFT, a, 42);
	EXPECT(order(LEFT, PEER_FREE, a, 0, 0), LIMPET_OK);
	verdict("no component accesses another's memory");
}

static void exhaustion(void)
{
	word a = allocated(RIGHT, 32), r = reserved(RIGHT, 90, RW);

	EXPECT(order(RIGHT, PEER_ALLOCATE, 1, 0, 0), LIMPET_EQUOTA);
	EXPECT(order(RIGHT, PEER_RESERVE, 90, RW, 0), LIMPET_EQUOTA); /* no addresses are free */
	crashes(RIGHT, PEER_WRITE, r);
	EXPECT(order(RIGHT, PEER_FREE, a, 0, 0), LIMPET_OK);
	EXPECT(order(RIGHT, PEER_WRITE, r, 1, 0), LIMPET_OK);
	EXPECT(order(RIGHT, PEER_FREE, r, 0, 0), LIMPET_OK);
	EXPECT(order(RIGHT, PEER_ALLOCATE, 257, 0, 0), LIMPET_ERANGE);
	EXPECT(used(RIGHT), 0);
	verdict("a quota ends with an error, a touch beyond it with its toucher");
}

static void sharing(void)
{
	word a = allocated(LEFT, 40);

	EXPECT(order(LEFT, PEER_FILL, a, 40 * PAGE / 8, 7), LIMPET_OK);
	EXPECT(order(LEFT, PEER_GRANT, a, index_of[RIGHT], R), LIMPET_OK);
	EXPECT(order(RIGHT, PEER_ATTACH, a, 0, 0), 40);
	value(RIGHT, a + 39 * PAGE, 7 * (39 * PAGE / 8 + 1));
	crashes(RIGHT, PEER_WRITE, a);
	EXPECT(order(LEFT, PEER_UNMAP, a, 1, 0), LIMPET_EBUSY);
	EXPECT(order(RIGHT, PEER_DETACH, a, 0, 0), LIMPET_OK);
	crashes(RIGHT, PEER_READ, a);
	EXPECT(order(LEFT, PEER_GRANT, a, index_of[RIGHT], RW), LIMPET_OK);
	EXPECT(order(RIGHT, PEER_ATTACH, a, 0, 0), 40);
	EXPECT(order(RIGHT, PEER_WRITE, a + 8, 123, 0), LIMPET_OK);
	value(LEFT, a + 8, 123);
	EXPECT(order(LEFT, PEER_REVOKE, a, index_of[RIGHT], 0), LIMPET_OK);
	crashes(RIGHT, PEER_WRITE, a);
	EXPECT(order(RIGHT, PEER_ATTACH, a, 0, 0), LIMPET_ENOENT);
	EXPECT(order(LEFT, PEER_GRANT, a, index_of[INNER], RW), LIMPET_ENOENT); /* the child's */
	EXPECT(order(LEFT, PEER_FREE, a, 0, 0), LIMPET_OK);
	verdict("memory is shared with whom it was granted to, until it is revoked");
}

static void pools(void)
{
	word control, data, n = BUFFER_SIZE / 8, sum = 0;
	long index = 0;

	EXPECT(order(LEFT, PEER_POOL, index_of[RIGHT], 0, 0), LIMPET_OK);
	control = result_x;
	data = result_y;
	EXPECT(order(RIGHT, PEER_JOIN, control, data, 0), LIMPET_OK);
	for (word round = 1; round < 100; round++) {
		index = order(LEFT, PEER_SEND, round, 0, 0);
		sum = round * n * (n + 1) / 2;
		EXPECT(order(RIGHT, PEER_RECEIVE, (word)index, 0, 0), LIMPET_OK);
		EXPECT(result_x, sum);
	}
	EXPECT(order(RIGHT, PEER_BACK, (word)index, 0, 0), LIMPET_ENOENT);
	EXPECT(order(RIGHT, PEER_RECEIVE, 16, 0, 0), LIMPET_ERANGE);
	EXPECT(order(RIGHT, PEER_RECEIVE, ~0ul, 0, 0), LIMPET_ERANGE);
	crashes(RIGHT, PEER_WRITE, data);
	for (word i = 0; i < 16; i++)
		EXPECT(order(LEFT, PEER_SEND, 1, 0, 0) >= 0, 1);
	EXPECT(order(LEFT, PEER_SEND, 1, 0, 0), LIMPET_EEMPTY);
	EXPECT(order(LEFT, PEER_FREE, control, 0, 0), LIMPET_OK);
	EXPECT(order(LEFT, PEER_FREE, data, 0, 0), LIMPET_OK);
	verdict("buffers change hands by index");
}

static void marks(void)
{
	word a = allocated(LEFT, 20), r = reserved(LEFT, 5, RW), late;

	EXPECT(order(LEFT, PEER_FILL, a, 20 * PAGE / 8, 11), LIMPET_OK);
	EXPECT(order(LEFT, PEER_WRITE, r, 5, 0), LIMPET_OK);
	EXPECT(keeper_mark(index_of[LEFT]), LIMPET_OK);
	late = allocated(LEFT, 7);
	EXPECT(order(LEFT, PEER_FILL, a, 20 * PAGE / 8, 13), LIMPET_OK);
	EXPECT(order(LEFT, PEER_FREE, r, 0, 0), LIMPET_OK);
	EXPECT(keeper_rollback(index_of[LEFT]), LIMPET_OK);
	for (word i = 0; i < 20; i++)
		value(LEFT, a + i * PAGE, 11 * (i * PAGE / 8 + 1));
	value(LEFT, r, 5);
	crashes(LEFT, PEER_READ, late);
	EXPECT(used(LEFT), 21);
	EXPECT(order(LEFT, PEER_WRITE, r + PAGE, 1, 0), LIMPET_OK);
	EXPECT(keeper_mark(99), LIMPET_ENOENT);
	verdict("a rollback gives what there was at the mark");
}

/* The child has 64 frames and keeps some of them for itself. inner's quota is larger. */
static void child(void)
{
	word a = allocated(INNER, 30), r = reserved(INNER, 200, RW), left, touched = 0;

	EXPECT(limpet_window_owner(a), index_of[INNER]);
	EXPECT(order(INNER, PEER_FILL, a, 30 * PAGE / 8, 17), LIMPET_OK);
	EXPECT(order(INNER, PEER_ALLOCATE, 60, 0, 0), LIMPET_ENOMEM);
	order(INNER, PEER_AVAILABLE, 0, 0, 0);
	left = result_y;
	EXPECT(left < 34, 1);
	while (touched <= left && order(INNER, PEER_WRITE, r + touched * PAGE, 1, 0) == LIMPET_OK)
		touched++;
	EXPECT(touched, left);
	crashes(INNER, PEER_WRITE, r + 100 * PAGE);
	/* The parent's other clients must keep their memory. */
	EXPECT(order(RIGHT, PEER_AVAILABLE, 0, 0, 0) > 20, 1);
	value(INNER, a + 29 * PAGE, 17 * (29 * PAGE / 8 + 1));
	EXPECT(order(INNER, PEER_FREE, a, 0, 0), LIMPET_OK);
	EXPECT(order(INNER, PEER_ALLOCATE, 30, 0, 0), LIMPET_OK);
	EXPECT(order(INNER, PEER_DELEGATE, 1, 0, 0), LIMPET_ERIGHTS);
	verdict("a memory manager serves others out of its quota, and of no more");
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	for (enum peer peer = LEFT; peer <= INNER; peer++) {
		EXPECT(order(peer, PEER_INDEX, 0, 0, 0), LIMPET_OK);
		index_of[peer] = result_x;
	}
	first_touch();
	guards();
	others_memory();
	exhaustion();
	sharing();
	pools();
	marks();
	child();
	verdicts_end();
}
