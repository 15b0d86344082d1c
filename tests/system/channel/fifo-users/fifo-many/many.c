// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every 2 ms it puts a record of 16 bytes into one of 16 FIFOs in turn, and empties what processes have written into it.
 * Word 0 of a record has MAGIC and the number of the FIFO in its upper half, and the number of the record in the FIFO in
 * its lower half. Word 1 is the complement. Every 500 rounds it logs its rounds, so that a test sees that it continues.
 */
#include <fifo/fifo.h>
#include <runtime/component.h>
#include <runtime/print.h>
#include <runtime/time.h>

#include <import/sched.h>

#define FIFOS 16
#define SIZE 1024
#define PERIOD_US 2000
#define REPORT 500
#define MAGIC 0x5a000000ul

static uint64_t next[FIFOS];
static char dropped[SIZE];

static void serve(unsigned int number, uint64_t *count)
{
	uint64_t record[2];

	record[0] = (MAGIC | number) << 32 | *count;
	record[1] = ~record[0];
	if (fifo_put(number, record, sizeof(record)) == sizeof(record))
		++*count;
	if (fifo_get(number, dropped, sizeof(dropped)) < 0)
		limpet_print("wrong: FIFO %u cannot be read\n", number);
}

void component_main(const struct limpet_info *info)
{
	const unsigned int first = (unsigned int)limpet_arg_number(info, "first", 0);
	uint64_t due = limpet_time();

	for (unsigned int i = 0; i < FIFOS; i++)
		if (fifo_create(first + i, SIZE))
			limpet_print("wrong: FIFO %u is not created\n", first + i);
	for (unsigned long round = 1;; round++) {
		serve(first + round % FIFOS, &next[round % FIFOS]);
		if (round % REPORT == 0)
			limpet_print("many %u: %lu rounds\n", first, round);
		due += limpet_us_to_ticks(PERIOD_US);
		if (due < limpet_time())
			due = limpet_time();
		sched_sleep_until(due);
	}
}
