/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The description and the counters of a running system at one moment, for `ps`, `stat` and other
 * commands.
 */
#ifndef CLI_SNAPSHOT_H
#define CLI_SNAPSHOT_H

#include <stdbool.h>

#include <limpet/device.h>

#include <cli/common/image.h>
#include <client/device.h>

#define SNAPSHOT_NONE 0xffffffffu /* no such component */

struct snapshot {
	struct limpet_ioc_info info;
	struct limpet_stat stat;
	struct image image; /* empty if the module's copy is damaged */
	/* Index in stat.thread plus 1 of the own thread of each component of the image; 0: none. See snapshot_index(). */
	uint32_t own[LIMPET_COMPONENTS_MAX];
};

/*
 * Takes a snapshot of the system that the command concerns, see system.h. Returns 0 or an error.
 * -ENODATA: no system runs; -ESRCH: it has ended by itself; -EPROTO: the module has another
 * version; otherwise an error of opening or reading the device.
 */
int snapshot_read(struct snapshot *snapshot);
/* Takes a snapshot through a descriptor of the device. */
int snapshot_read_from(struct snapshot *snapshot, int fd);
/* Reads the counters of the same system again. Returns 0 or an error of limpet_stat(). */
int snapshot_update(struct snapshot *snapshot, int fd);
/* Finds the components' own threads, for the functions below. Called after each change of the counters or the image. */
void snapshot_index(struct snapshot *snapshot);
/* Takes a snapshot, too. Returns false after it has reported an error. */
bool snapshot_take(struct snapshot *snapshot);
void snapshot_release(struct snapshot *snapshot);
/* Returns the thread's share of its CPU since the system was loaded, in percent. */
double snapshot_percent(const struct snapshot *snapshot, const struct limpet_stat_thread *thread);
/* Converts ticks of the time stamp to microseconds. */
double snapshot_us(const struct snapshot *snapshot, uint64_t ticks);
/* The system's uptime in seconds. */
double snapshot_uptime(const struct snapshot *snapshot);
/* Returns the priority of a component's own thread in the system file, or 0 for other threads. */
unsigned int snapshot_priority(const struct snapshot *snapshot,
			       const struct limpet_stat_thread *thread);
/* Returns the component's own thread, or NULL if it has none on this CPU in the system file. Constant time. */
const struct limpet_stat_thread *snapshot_own_thread(const struct snapshot *snapshot,
						     unsigned int cpu, unsigned int component);
/* Returns whether the component's own thread is dead. Returns false for a component without one, see `closed`. */
bool snapshot_failed(const struct snapshot *snapshot, unsigned int cpu, unsigned int component);
/* Invocations of all components of a CPU. */
uint64_t snapshot_invocations(const struct snapshot *snapshot, unsigned int cpu);

#endif
