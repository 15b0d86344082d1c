// SPDX-License-Identifier: GPL-2.0
/*
 * Measures calls of a component's function from this process, user level to user level, without
 * arguments and results.
 *
 *   call [ROUNDS [CPU]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <host/pong.h>

#include "figure.h"

#define WARM_UP 200
#define TIMEOUT 5000 /* ms */

int main(int argc, char **argv)
{
	const struct figure figure = { "table2", "call", "limpet" };
	unsigned long rounds = argc > 1 ? figure_number(argv[1]) : 2000;
	uint64_t *samples = figure_samples(rounds);
	struct limpet_caller caller;
	int error;

	figure_pin(argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0);
	error = limpet_caller_open(&caller, "pong", TIMEOUT);
	if (error) {
		fprintf(stderr, "channel pong: %s\n", strerror(-error));
		return 1;
	}
	for (unsigned long i = 0; i < rounds + WARM_UP; i++) {
		uint64_t start = figure_time();
		long status = pong_call0(&caller);

		samples[i < WARM_UP ? 0 : i - WARM_UP] = figure_time() - start;
		if (status) {
			fprintf(stderr, "call: %s\n", limpet_call_text(status));
			return 1;
		}
	}
	limpet_caller_close(&caller);
	figure_print(&figure, samples, rounds);
	return 0;
}
