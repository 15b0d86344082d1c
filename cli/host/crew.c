// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "crew.h"

int crew_init(struct crew *crew)
{
	*crew = (struct crew){ .event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	return crew->event < 0 ? errno : 0;
}

int crew_start(struct crew *crew, int fd, const struct host_plan *plan)
{
	int error = 0;

	while (!error && crew->count < plan->cpus) {
		struct host_thread *thread = &crew->thread[crew->count];

		*thread = (struct host_thread){
			.fd = fd,
			.event = crew->event,
			.cpu = crew->count,
			.linux_cpu = plan->cpu[crew->count],
			.priority = plan->priority,
		};
		error = host_thread_start(thread);
		crew->count += !error;
	}
	return error;
}

bool crew_wait(struct crew *crew, int ms)
{
	struct pollfd event = { .fd = crew->event, .events = POLLIN };
	uint64_t count;

	return poll(&event, 1, ms) > 0 && read(crew->event, &count, sizeof(count)) > 0;
}

unsigned int crew_reached(const struct crew *crew, enum host_thread_stage stage)
{
	unsigned int reached = 0;

	for (unsigned int i = 0; i < crew->count; i++)
		reached += host_thread_stage(&crew->thread[i]) >= stage;
	return reached;
}

const struct host_thread *crew_failed(const struct crew *crew)
{
	for (unsigned int i = 0; i < crew->count; i++) {
		const struct host_thread *thread = &crew->thread[i];

		if (host_thread_stage(thread) == HOST_THREAD_LEFT && thread->failed)
			return thread;
	}
	return NULL;
}
