// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <time.h>

#include <cli/common/rings.h>
#include <client/device.h>

#define PART 1024u	 /* events that one call reads */
#define PARTS 64u	 /* maximum number of calls for one CPU before the next CPU */
#define PAUSE_NS 2000000 /* time between two reads of the rings */

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

void interruption_catch(void)
{
	const struct sigaction action = { .sa_handler = interrupt };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

bool interruption_came(void)
{
	return interrupted;
}

double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void rings_pause(void)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };

	nanosleep(&pause, NULL);
}

int rings_begin(struct rings *rings, unsigned int kinds)
{
	for (unsigned int cpu = 0; cpu < rings->cpus; cpu++) {
		struct limpet_ioc_trace read = { .cpu = cpu, .position = UINT64_MAX };
		int error = limpet_trace_read(rings->fd, &read);

		if (error < 0)
			return error;
		rings->position[cpu] = read.position;
	}
	return limpet_trace(rings->fd, kinds);
}

void rings_end(struct rings *rings)
{
	if (limpet_trace(rings->fd, 0) < 0)
		rings->ended = true;
}

static size_t part_read(struct rings *rings, unsigned int cpu)
{
	static struct limpet_trace_event part[PART];
	struct limpet_ioc_trace read = { .cpu = cpu,
					 .count = PART,
					 .buffer = (uintptr_t)part,
					 .position = rings->position[cpu] };

	if (limpet_trace_read(rings->fd, &read) < 0) {
		rings->ended = true;
		return 0;
	}
	rings->position[cpu] = read.position;
	rings->lost += read.lost;
	rings->put(rings->to, cpu, part, read.count, read.lost);
	return read.count;
}

size_t rings_read(struct rings *rings)
{
	size_t count = 0, part;

	for (unsigned int cpu = 0; cpu < rings->cpus; cpu++)
		for (unsigned int parts = 0; parts < PARTS; parts++) {
			part = part_read(rings, cpu);
			count += part;
			if (part < PART)
				break;
		}
	return count;
}
