/* SPDX-License-Identifier: GPL-2.0 */
/* Packets of gdb's remote serial protocol (GDB manual, appendix E.1): `$`, contents, `#`, two digits of a checksum. */
#ifndef CLI_DEBUG_PACKET_H
#define CLI_DEBUG_PACKET_H

#include <stddef.h>

#define PACKET_MAX 4095 /* bytes of contents */
#define PACKET_FRAME 4	/* bytes around the contents */

enum packet_event {
	PACKET_NONE,	  /* more bytes are needed, or the byte has no meaning */
	PACKET_WHOLE,	  /* `data` has the contents, with a 0 after them */
	PACKET_DAMAGED,	  /* the checksum is wrong: gdb sends the packet again after a `-` */
	PACKET_LONG,	  /* the contents have more than PACKET_MAX bytes, and are lost */
	PACKET_REPEAT,	  /* gdb asks for the last answer again */
	PACKET_INTERRUPT, /* gdb asks to stop the program */
};

/* A reader. It starts with all fields 0. */
struct packet_reader {
	enum { READ_OUTSIDE, READ_CONTENTS, READ_ESCAPED, READ_SUM, READ_SUM_LAST } state;
	unsigned char sum, given;
	size_t length;
	char data[PACKET_MAX + 1];
};

/* Reads the next byte from gdb. */
enum packet_event packet_take(struct packet_reader *reader, char byte);
/* Puts a frame around contents of at most PACKET_MAX bytes without `$`, `#` and `}`. Returns the length. */
size_t packet_make(char to[PACKET_MAX + PACKET_FRAME], const char *contents, size_t length);

/* Returns the value of a hexadecimal digit, or -1. */
int packet_digit(char c);

#endif
