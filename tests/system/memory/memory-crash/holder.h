/* SPDX-License-Identifier: GPL-2.0 */
/* Commands to memory-holder, by call6 of interface pong. The first word is the command, the second its argument. */
#ifndef HOLDER_H
#define HOLDER_H

#define PAGES 16
#define MORE 8
#define WORDS (PAGES * 4096 / 8)
#define CONTENT(i) ((i) * 0x9e3779b97f4a7c15ul)

enum holder_action {
	HOLDER_CHECK,	/* counts changed words of its first memory; -1 without it */
	HOLDER_CHANGE,	/* changes all of them */
	HOLDER_FREE,	/* frees its first memory */
	HOLDER_RESERVE, /* reserves MORE pages, touches them all; x: address */
	HOLDER_READ,	/* reads an address */
	HOLDER_USED,	/* number of its pages, as mem counts */
};

#endif
