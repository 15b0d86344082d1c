// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include <cli/command/log/ended.h>
#include <cli/host/log_file.h>
#include <limpet/device.h>

/* Returns the time of the system's last text in a part of a log, or 0 if the part has no text of it. */
static uint64_t last_time(const char *part, const char *system)
{
	char name[LOG_NAME_SIZE + sizeof(LOG_TIMES)];
	struct log_time time;
	uint64_t last = 0;
	FILE *times;

	snprintf(name, sizeof(name), "%s" LOG_TIMES, part);
	times = fopen(name, "re");
	if (!times)
		return 0;
	while (log_time_read(times, &time))
		if (!strcmp(time.system, system))
			last = time.ns;
	fclose(times);
	return last;
}

bool log_ended_find(const char *system, struct log_names *names)
{
	uint64_t best = 0;

	for (uint32_t id = 0; id < LIMPET_SYSTEMS_MAX; id++) {
		const struct log_names own = log_names_of(id);
		uint64_t last = last_time(own.now, system);

		if (!last)
			last = last_time(own.old, system);
		if (last > best) {
			best = last;
			*names = own;
		}
	}
	return best;
}
