/* SPDX-License-Identifier: GPL-2.0 */
/* Commands to memory-holder, by call6 of interface pong: the first word, and the second. */
#ifndef HOLDER_H
#define HOLDER_H

#define PAGES 16
#define MORE 8
#define WORDS (PAGES * 4096 / 8)
#define CONTENT(i) ((i) * 0x9e3779b97f4a7c15ul)

enum holder_action {
	HOLDER_CHECK,	/* number of changed words of its first memory; -1: it has none */
	HOLDER_CHANGE,	/* all of them */
	HOLDER_FREE,	/* its first memory */
	HOLDER_RESERVE, /* MORE pages, touches them all; x: where */
	HOLDER_READ,	/* an address */
	HOLDER_USED,	/* pages that it has, as mem counts */
};

#endif
