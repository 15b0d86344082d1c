// SPDX-License-Identifier: BSD-2-Clause
/*
 * A command in FIFO 0 is one letter and a decimal number, in one write. The answer is a line in FIFO 0. "c" and "e"
 * have no answer.
 *   p N   puts N letters into FIFO 1                f N   puts records of 16 bytes into FIFO 1 until it is full
 *   d N   destroys FIFO N    k N  creates FIFO N    x N   flushes FIFO N
 *   o N   whether FIFO N is open                    u N   number of bytes of FIFO N that Linux has not read
 *   m N   adds N to the first word of the buffer    c 0   crashes
 *   w 0   number of waits of 10 ms that ended in time, without a change
 * The component returns FIFO 2 byte by byte through FIFO 3, its pair. It reads the bytes that Linux writes into FIFO 4,
 * and counts them in the second word of the buffer.
 */
#include <fifo/fifo.h>
#include <runtime/component.h>
#include <runtime/format.h>
#include <runtime/time.h>

#define BUFFER "Shared_Area"
#define RECORD 16

static uint64_t *buffer;
static char letters[8192];

static void answer(long value)
{
	char line[32];

	fifo_put(0, line, limpet_format(line, sizeof(line), "%ld\n", value));
}

static long fill(void)
{
	long records = 0;

	while (fifo_put(1, letters, RECORD) == RECORD)
		records++;
	return fifo_put(1, letters, RECORD) == FIFO_ENOSPC ? records : -1;
}

static long waits(void)
{
	uint64_t deadline = limpet_time() + limpet_us_to_ticks(10000);

	return fifo_wait(0, deadline) == 0 && limpet_time() >= deadline;
}

static void serve(char what, unsigned int number)
{
	switch (what) {
		/* clang-format off */
	case 'p': answer(fifo_put(1, letters, number)); break;
	case 'f': answer(fill()); break;
	case 'd': answer(fifo_destroy(number)); break;
	case 'k': answer(fifo_create(number, 4000)); break;
	case 'x': answer(fifo_flush(number)); break;
	case 'o': answer(fifo_opened(number)); break;
	case 'u': answer(fifo_unread_bytes(number)); break;
	case 'm': answer((long)(buffer[0] += number)); break;
	case 'w': answer(waits()); break;
	case 'c': __builtin_trap();
	default: answer(-1);
		/* clang-format on */
	}
}

static void commands(void)
{
	char text[32];
	long length = fifo_get(0, text, sizeof(text));
	unsigned int number = 0;

	for (long i = 1; i < length; i++)
		if (text[i] >= '0' && text[i] <= '9')
			number = number * 10 + (unsigned int)(text[i] - '0');
	if (length > 0)
		serve(text[0], number);
}

static void echo(void)
{
	char piece[100];
	long length;

	while (fifo_free_bytes(3) >= (long)sizeof(piece) &&
	       (length = fifo_get(2, piece, sizeof(piece))) > 0)
		fifo_put(3, piece, (unsigned long)length);
}

static void count(void)
{
	char piece[256];
	long length;

	while ((length = fifo_get(4, piece, sizeof(piece))) > 0)
		buffer[1] += (uint64_t)length;
}

void component_main(const struct limpet_info *info)
{
	(void)info;
	for (unsigned int i = 0; i < sizeof(letters); i++)
		letters[i] = (char)('a' + i % 26);
	buffer = mbuff_open(BUFFER, 8192);
	for (unsigned int number = 1; number < 5; number++)
		fifo_create(number, 4000);
	fifo_make_pair(2, 3);
	fifo_put(1, "before\n", 7);
	fifo_create(0, 4096);
	for (;;) {
		commands();
		echo();
		count();
		fifo_wait(0, LIMPET_NEVER);
	}
}
