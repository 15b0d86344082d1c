/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a line to the log for each fault of a component that no handler repaired. Components with a supervisor are left
 * out, because the supervisor prints their crashes.
 *
 * The lines come from the system's counters, which have only the last fault of a component. If a component has faulted
 * several times since the last look, it gets one line with the number of faults.
 */
#ifndef HOST_FAULT_LOG_H
#define HOST_FAULT_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <limpet/limits.h>

#include <cli/common/snapshot.h>

#include "log_file.h"

struct fault_log {
	uint64_t of_cpu
		[LIMPET_CPUS_MAX]; /* faults of each CPU at the last look, including repaired ones */
	uint32_t *seen;		   /* faults of each component record at the last look */
	uint32_t count;		   /* number of records */
};

/* Starts to watch a system. Faults of a system that already ran are counted as seen if `joined`. */
void fault_log_begin(struct fault_log *faults, int fd, bool joined);
/* Writes lines for the faults since the last look. Costs one call for each CPU if there were none. */
void fault_log_look(struct fault_log *faults, int fd, unsigned int cpus, struct log_file *log);
void fault_log_end(struct fault_log *faults);

/*
 * Prints the line about the last fault of a component, without a newline. `more` is the number of faults since the last
 * line.
 */
void fault_log_print(FILE *out, const struct snapshot *snapshot,
		     const struct limpet_stat_component *component, uint32_t more);

#endif
