/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands to a peer, by pong.call6. a is the command, and b, c, d are its arguments. x and y are its results. The
 * status is mem's.
 */
#ifndef PEER_H
#define PEER_H

enum peer_action {
	PEER_INDEX,	/* x: its own index */
	PEER_ALLOCATE,	/* pages; x: address */
	PEER_RESERVE,	/* pages, rights; x: address */
	PEER_FREE,	/* address */
	PEER_UNMAP,	/* address, pages */
	PEER_PROTECT,	/* address, pages, rights */
	PEER_GRANT,	/* address, component, rights */
	PEER_REVOKE,	/* address, component */
	PEER_ATTACH,	/* address */
	PEER_DETACH,	/* address */
	PEER_AVAILABLE, /* x: used, y: frames */
	PEER_DELEGATE,	/* pages */
	PEER_READ,	/* address; x: the word there */
	PEER_WRITE,	/* address, word */
	PEER_EXECUTE,	/* address */
	PEER_FILL,	/* address, words, seed */
	PEER_SUM,	/* address, words; x: their sum */
	PEER_POOL,	/* the component that may attach; x: control, y: data */
	PEER_JOIN,	/* control, data */
	PEER_SEND,	/* seed: fills a buffer and sends it; status: its index */
	PEER_RECEIVE,	/* index; x: the sum of its words; returns it */
	PEER_BACK,	/* index: returns it without owning it */
};

#define POOL_PAGES 8
#define BUFFER_SIZE 2048

#endif
